#!/usr/bin/env python3
"""ipctk over a step of a mesh whose vertices move: swept.py FOLDER THREADS SECONDS

FOLDER holds start.f64 and end.f64 (x y z of the vertices), faces.u32 (three vertices each), vf.u32 and ee.u32 (the pairs
that really collide: vertex and face, edge and edge, where edges stand in the order of their higher vertex, then of their
lower). Candidates come from ipctk's LBVH over the step. It has no call that tells all collisions, so the solvers are called
for single candidates: for a sample of them, spread evenly, as long as SECONDS allow, less what the call from Python costs,
from which the time for all candidates follows; and for the listed pairs, as many as SECONDS allow, to see what is
missed; both on one thread only. compute_collision_free_stepsize, which stops looking beyond the earliest contact, is timed as it is. Lines of CSV."""
import sys
import time

import ipctk
import numpy as np

folder, threads, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
ipctk.set_num_threads(threads)
ipctk.set_logger_level(ipctk.LoggerLevel.error)
now = time.process_time if threads == 1 else time.perf_counter


def read(name, kind, width):
    return np.fromfile(f"{folder}/{name}", kind).reshape(-1, width)


START, END = (np.asfortranarray(read(name, "<f8", 3)) for name in ("start.f64", "end.f64"))
FACES = np.asfortranarray(read("faces.u32", "<u4", 3).astype(np.int32))
SIDES = np.sort(np.vstack([FACES[:, [0, 1]], FACES[:, [1, 2]], FACES[:, [2, 0]]]), axis=1)
SIDES = np.unique(SIDES[:, ::-1], axis=0)[:, ::-1]  # by the higher vertex, then by the lower
EDGES = np.asfortranarray(SIDES.astype(np.int32))
MESH = ipctk.CollisionMesh(START, EDGES, FACES)
POINTS = [np.ascontiguousarray(START), np.ascontiguousarray(END)]
SOLVERS = {"Additive": ipctk.AdditiveCCD()}
if threads == 1:
    SOLVERS["Tight-Inclusion"] = ipctk.TightInclusionCCD()


def corners(ids):
    return [POINTS[0][i] for i in ids] + [POINTS[1][i] for i in ids]


def vertex_face(pair):
    return corners([pair[0], *FACES[pair[1]]])


def edge_edge(pair):
    return corners([*EDGES[pair[0]], *EDGES[pair[1]]])


def within(budget, call, queries):
    """The answers of as many as time allows, and the mean time of one."""
    answers, spent, begun = [], 0, time.perf_counter()
    for query in queries:
        start = now()
        answers.append(call(*query)[0])
        spent += now() - start
        if time.perf_counter() - begun > budget:
            break
    return answers, spent / max(len(answers), 1)


def best(times, call):
    spent = []
    for _ in range(times):
        start = now()
        result = call()
        spent.append(now() - start)
    return min(spent), result


def build():
    found = ipctk.Candidates()
    found.build(MESH, START, END, 0.0, ipctk.LBVH())
    return found


def spread(candidates, count):
    step = max(len(candidates) // count, 1)
    return candidates[::step][:count]


def main():
    broad, candidates = best(3, build)
    every = [candidates.fv_candidates, candidates.ee_candidates]  # once: each look at them makes a list anew
    counts = [len(kind) for kind in every]
    vf = [(c.vertex_id, c.face_id) for c in spread(every[0], 20000)]
    ee = [(c.edge0_id, c.edge1_id) for c in spread(every[1], 20000)]
    del every, candidates
    far = [np.full(3, 100.0 * (i % 4 == 0)) for i in range(8)]
    nothing = lambda *query: (ipctk.point_triangle_aabb_ccd(*query, 0.0),)
    overhead = min(within(seconds, nothing, [far] * 5000)[1] for _ in range(3))
    print("solver,vf_candidates,ee_candidates,broad_ms,narrow_ms,sampled,judged,missed,stepsize_ms")
    for name, solver in SOLVERS.items():
        kinds = [(solver.point_triangle_ccd, vertex_face, vf, "vf.u32"), (solver.edge_edge_ccd, edge_edge, ee, "ee.u32")]
        narrow, sampled, judged, missed = 0, 0, 0, 0
        for (call, points, sample, listed), count in zip(kinds, counts):
            if threads > 1:  # single calls know no threads
                narrow = float("nan")
                break
            told, mean = within(seconds, call, (points(pair) for pair in sample))
            narrow += max(mean - overhead, 0) * count
            sampled += len(told)
            told, _ = within(seconds, call, (points(pair) for pair in read(listed, "<u4", 2)))
            judged += len(told)
            missed += told.count(False)
        free = lambda: ipctk.compute_collision_free_stepsize(MESH, START, END, 0.0, ipctk.LBVH(), solver)
        step = best(1, free)[0] if name == "Additive" else float("nan")
        row = [name, *counts, f"{broad * 1e3:.1f}", f"{narrow * 1e3:.1f}", sampled, judged, missed, f"{step * 1e3:.1f}"]
        print(",".join(map(str, row)), flush=True)


if __name__ == "__main__":
    main()
