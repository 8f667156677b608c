#!/usr/bin/env python3
"""FCL (python-fcl) on poses with emptied caches: cold MESH.

Before each query 128 MiB of other memory are changed, one word per cache line; then one call is timed by process
time. What the call from Python costs under the same conditions (a pose so far away that the first boxes are apart)
is subtracted. Inputs and outputs are those of the other drivers: $PEERS_ROOT/meshes, poses, out/ans; result lines
`R peer question mesh min median unit passes info`."""
import os
import sys
import time

import fcl
import numpy as np

ROOT = os.environ["PEERS_ROOT"]
PEER = "python-fcl-cold"


def load(name):
    vertices, faces = [], []
    with open(f"{ROOT}/meshes/{name}.obj") as lines:
        for line in lines:
            word, *rest = line.split()
            if word == "v":
                vertices.append([float(x) for x in rest])
            elif word == "f":
                faces.append([int(x) - 1 for x in rest])
    return np.array(vertices), np.array(faces)


def model(name):
    vertices, faces = load(name)
    bvh = fcl.BVHModel()
    bvh.beginModel(len(vertices), len(faces))
    bvh.addSubModel(vertices, faces)
    bvh.endModel()
    return fcl.CollisionObject(bvh, fcl.Transform())


def timed(call, flushed):
    flushed[::8] += 1
    start = time.process_time()
    found = call()
    return time.process_time() - start, found


def main(mesh):
    a, b = model(mesh), model(mesh)
    poses = np.loadtxt(f"{ROOT}/poses/{mesh}.txt", ndmin=2)
    flushed = np.arange((128 << 20) // 8, dtype=np.uint64)

    def collide():
        request, result = fcl.CollisionRequest(), fcl.CollisionResult()
        return lambda: fcl.collide(a, b, request, result)

    def pairs():
        request, result = fcl.CollisionRequest(num_max_contacts=10**8), fcl.CollisionResult()
        return lambda: fcl.collide(a, b, request, result)

    def distance():
        request, result = fcl.DistanceRequest(), fcl.DistanceResult()
        return lambda: fcl.distance(a, b, request, result)

    questions = [("bool", collide, lambda x: int(x > 0)), ("all", pairs, int), ("dist", distance, lambda x: max(0, x))]
    for code, prepare, number in questions:
        b.setTransform(fcl.Transform(np.array([1.0, 0, 0, 0]), np.array([1000.0, 0, 0])))
        # The distance of far bodies is a search of its own, so the call's price is that of a collision.
        overhead = np.median([timed(collide(), flushed)[0] for _ in range(50)])
        times, answers = [], []
        for pose in poses:
            b.setTransform(fcl.Transform(pose[:4], pose[4:]))
            spent, found = timed(prepare(), flushed)
            times.append(max(0.0, spent - overhead))
            answers.append(number(found))
        mean = np.mean(times) * 1e6
        with open(f"{ROOT}/out/ans/{PEER}@{code}@{mesh}.txt", "w") as out:
            out.writelines(f"{x:.9g}\n" for x in answers)
        info = f"call={overhead * 1e6:.2f}us"
        print(f"R\t{PEER}\t{code}\t{mesh}\t{mean:.4g}\t{mean:.4g}\tus/query\t1\t{info}", flush=True)


main(sys.argv[2])
