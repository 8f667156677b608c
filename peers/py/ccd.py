#!/usr/bin/env python3
"""ipctk on labelled CCD queries: ccd.py FILE.bin...

Files are those of `impinge bench ccd`. Each query goes through Tight-Inclusion (tolerance 1e-6, ipctk's own limit of
iterations) and Additive CCD. Of a contact ipctk tells one time, before which nothing touches; late is one that is after
the true first contact. What the call from Python costs (the same signature, features far apart) is subtracted from all
times: the mean is that of the best of three passes, the slowest query counts with its best of three. Lines of CSV, one
per solver and file."""
import os
import sys
import time

import ipctk
import numpy as np

RECORD = np.dtype([("corners", "<f8", (8, 3)), ("label", "u1")])
PASSES = 3
SOLVERS = {
    "ipctk Tight-Inclusion": ipctk.TightInclusionCCD(1e-6),
    "ipctk Additive": ipctk.AdditiveCCD(),
}


def timed(call, queries):
    spent, answers = np.empty(len(queries)), []
    for i, query in enumerate(queries):
        start = time.perf_counter_ns()
        answers.append(call(*query))
        spent[i] = time.perf_counter_ns() - start
    return spent, answers


def overhead(count):
    far = [np.full(3, 100.0 * (i % 4 == 0)) for i in range(8)]
    call = lambda *corners: ipctk.point_triangle_aabb_ccd(*corners, 0.0)
    return min(timed(call, [far] * count)[0].mean() for _ in range(PASSES))


def main(paths):
    print("file,method,queries,hits,misses,late,false_alarms,mean_ns,max_ns")
    for path in paths:
        records = np.fromfile(path, RECORD)
        queries = [[np.ascontiguousarray(corner) for corner in corners] for corners in records["corners"]]
        touches = records["label"] == 1
        truth = os.path.splitext(path)[0] + ".toi"
        times = np.fromfile(truth, "<f8") if os.path.exists(truth) else None
        call_ns = overhead(2000)
        for name, solver in SOLVERS.items():
            vertex_face = os.path.splitext(path)[0].endswith("-vf")
            call = solver.point_triangle_ccd if vertex_face else solver.edge_edge_ccd
            passes = [timed(call, queries) for _ in range(PASSES)]
            answers = passes[0][1]
            mean = max(min(spent.mean() for spent, _ in passes) - call_ns, 0)
            slowest = max(np.minimum.reduce([spent for spent, _ in passes]).max() - call_ns, 0)
            hit = np.array([answer[0] for answer in answers], bool)
            told = np.array([answer[1] for answer in answers])
            both = hit & touches
            late = "" if times is None else int((told[both] > times[both]).sum())
            row = [os.path.basename(path), name, len(queries), int(hit.sum()), int((touches & ~hit).sum()), late]
            row += [int((hit & ~touches).sum()), f"{mean:.1f}", f"{slowest:.1f}"]
            print(",".join(map(str, row)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
