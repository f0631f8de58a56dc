"""NPBench's programs of linear algebra and PolyBench, in NumPy or CuPy.

A program is a pair: make(rng, size) gives its inputs by name (arrays, and numbers for the rest), run(xp, inputs) what it
computes by name; xp is numpy or cupy. SIZES has what `size` is for caches and for memory.
"""
import math

import numpy as np


def gemm():
    def make(rng, n):
        return {"A": rng.random((n, n)), "B": rng.random((n, n)), "C": rng.random((n, n)), "alpha": 1.5, "beta": 1.2}

    def run(xp, i):
        i["C"][:] = i["alpha"] * i["A"] @ i["B"] + i["beta"] * i["C"]
        return {"C": i["C"]}

    return make, run


def k2mm():
    def make(rng, n):
        inputs = {name: rng.random((n, n)) for name in "ABCD"}
        return {**inputs, "alpha": 1.5, "beta": 1.2}

    def run(xp, i):
        A, B, C, D = (i[name] for name in "ABCD")
        D[:] = i["alpha"] * A @ B @ C + i["beta"] * D
        return {"D": D}

    return make, run


def k3mm():
    def make(rng, n):
        return {name: rng.random((n, n)) for name in "ABCD"}

    def run(xp, i):
        A, B, C, D = (i[name] for name in "ABCD")
        return {"G": A @ B @ (C @ D)}

    return make, run


def atax():
    def make(rng, n):
        return {"A": rng.random((n, n)), "x": rng.random(n)}

    def run(xp, i):
        return {"y": (i["A"] @ i["x"]) @ i["A"]}

    return make, run


def bicg():
    def make(rng, n):
        return {"A": rng.random((n, n)), "p": rng.random(n), "r": rng.random(n)}

    def run(xp, i):
        return {"s": i["r"] @ i["A"], "q": i["A"] @ i["p"]}

    return make, run


def mvt():
    def make(rng, n):
        return {"A": rng.random((n, n)), **{name: rng.random(n) for name in ("x1", "x2", "y1", "y2")}}

    def run(xp, i):
        i["x1"] += i["A"] @ i["y1"]
        i["x2"] += i["y2"] @ i["A"]
        return {"x1": i["x1"], "x2": i["x2"]}

    return make, run


def gemver():
    def make(rng, n):
        vectors = {name: rng.random(n) for name in ("u1", "u2", "v1", "v2", "w", "x", "y", "z")}
        return {"A": rng.random((n, n)), **vectors, "alpha": 1.5, "beta": 1.2}

    def run(xp, i):
        A, w, x = i["A"], i["w"], i["x"]
        A += xp.outer(i["u1"], i["v1"]) + xp.outer(i["u2"], i["v2"])
        x += i["beta"] * i["y"] @ A + i["z"]
        w += i["alpha"] * A @ x
        return {"A": A, "w": w, "x": x}

    return make, run


def gesummv():
    def make(rng, n):
        return {"A": rng.random((n, n)), "B": rng.random((n, n)), "x": rng.random(n), "alpha": 1.5, "beta": 1.2}

    def run(xp, i):
        return {"y": i["alpha"] * i["A"] @ i["x"] + i["beta"] * i["B"] @ i["x"]}

    return make, run


def symm():
    def make(rng, n):
        return {"A": rng.random((n, n)), "B": rng.random((n, n)), "C": rng.random((n, n)), "alpha": 1.5, "beta": 1.2}

    def run(xp, i):
        A, B, C, alpha = i["A"], i["B"], i["C"], i["alpha"]
        temp = xp.zeros(C.shape)
        C *= i["beta"]
        for row in range(C.shape[0]):
            for column in range(C.shape[1]):
                C[:row, column] += alpha * B[row, column] * A[row, :row]
                temp[row, column] = B[:row, column] @ A[row, :row]
        C += alpha * B * xp.diagonal(A)[:, xp.newaxis] + alpha * temp
        return {"C": C}

    return make, run


def syrk():
    def make(rng, n):
        return {"A": rng.random((n, n)), "C": rng.random((n, n)), "alpha": 1.5, "beta": 1.2}

    def run(xp, i):
        A, C = i["A"], i["C"]
        for row in range(A.shape[0]):
            C[row, :row + 1] *= i["beta"]
            for k in range(A.shape[1]):
                C[row, :row + 1] += i["alpha"] * A[row, k] * A[:row + 1, k]
        return {"C": C}

    return make, run


def syr2k():
    def make(rng, n):
        return {"A": rng.random((n, n)), "B": rng.random((n, n)), "C": rng.random((n, n)), "alpha": 1.5, "beta": 1.2}

    def run(xp, i):
        A, B, C, alpha = i["A"], i["B"], i["C"], i["alpha"]
        for row in range(A.shape[0]):
            C[row, :row + 1] *= i["beta"]
            for k in range(A.shape[1]):
                C[row, :row + 1] += A[:row + 1, k] * alpha * B[row, k] + B[:row + 1, k] * alpha * A[row, k]
        return {"C": C}

    return make, run


def trmm():
    def make(rng, n):
        return {"A": rng.random((n, n)), "B": rng.random((n, n)), "alpha": 1.5}

    def run(xp, i):
        A, B = i["A"], i["B"]
        for row in range(B.shape[0]):
            for column in range(B.shape[1]):
                B[row, column] += xp.dot(A[row + 1:, row], B[row + 1:, column])
        B *= i["alpha"]
        return {"B": B}

    return make, run


def trisolv():
    def make(rng, n):
        return {"L": rng.random((n, n)) / n + np.eye(n), "b": rng.random(n)}

    def run(xp, i):
        L, b = i["L"], i["b"]
        x = xp.zeros(b.shape)
        for k in range(x.shape[0]):
            x[k] = (b[k] - L[k, :k] @ x[:k]) / L[k, k]
        return {"x": x}

    return make, run


def factor(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]


def positive_definite(rng, n):
    A = rng.random((n, n))
    return A @ A.T + n * np.eye(n)


def lu():
    def make(rng, n):
        return {"A": positive_definite(rng, n)}

    def run(xp, i):
        factor(i["A"])
        return {"A": i["A"]}

    return make, run


def ludcmp():
    def make(rng, n):
        return {"A": positive_definite(rng, n), "b": rng.random(n)}

    def run(xp, i):
        A, b = i["A"], i["b"]
        factor(A)
        x, y = xp.zeros_like(b), xp.zeros_like(b)
        n = A.shape[0]
        for k in range(n):
            y[k] = b[k] - A[k, :k] @ y[:k]
        for k in range(n - 1, -1, -1):
            x[k] = (y[k] - A[k, k + 1:] @ x[k + 1:]) / A[k, k]
        return {"A": A, "x": x, "y": y}

    return make, run


def cholesky():
    def make(rng, n):
        return {"A": positive_definite(rng, n)}

    def run(xp, i):
        A = i["A"]
        A[0, 0] = xp.sqrt(A[0, 0])
        for row in range(1, A.shape[0]):
            for j in range(row):
                A[row, j] -= xp.dot(A[row, :j], A[j, :j])
                A[row, j] /= A[j, j]
            A[row, row] -= xp.dot(A[row, :row], A[row, :row])
            A[row, row] = xp.sqrt(A[row, row])
        return {"A": A}

    return make, run


def durbin():
    def make(rng, n):
        return {"r": rng.random(n) / n}

    def run(xp, i):
        r = i["r"]
        y = xp.empty_like(r)
        y[0] = -r[0]
        alpha, beta = -r[0], 1.0
        for k in range(1, r.shape[0]):
            beta *= 1.0 - alpha * alpha
            alpha = -(r[k] + xp.dot(xp.flip(r[:k]), y[:k])) / beta
            y[:k] += alpha * xp.flip(y[:k])
            y[k] = alpha
        return {"y": y}

    return make, run


def gramschmidt():
    def make(rng, n):
        return {"A": rng.random((n, n)) + np.eye(n)}

    def run(xp, i):
        A = i["A"]
        Q, R = xp.zeros_like(A), xp.zeros_like(A)
        for k in range(A.shape[1]):
            R[k, k] = xp.sqrt(xp.dot(A[:, k], A[:, k]))
            Q[:, k] = A[:, k] / R[k, k]
            for j in range(k + 1, A.shape[1]):
                R[k, j] = xp.dot(Q[:, k], A[:, j])
                A[:, j] -= Q[:, k] * R[k, j]
        return {"Q": Q, "R": R}

    return make, run


def covariance():
    def make(rng, n):
        return {"data": rng.random((n + n // 4, n))}

    def run(xp, i):
        data = i["data"]
        n, m = data.shape
        cov = xp.zeros((m, m))
        data -= xp.mean(data, axis=0)
        for k in range(m):
            cov[k:, k] = cov[k, k:] = data[:, k] @ data[:, k:] / (n - 1.0)
        return {"cov": cov}

    return make, run


def correlation():
    def make(rng, n):
        return {"data": rng.random((n + n // 4, n))}

    def run(xp, i):
        data = i["data"]
        n, m = data.shape
        stddev = xp.std(data, axis=0)
        stddev[stddev <= 0.1] = 1.0
        data -= xp.mean(data, axis=0)
        data /= math.sqrt(n) * stddev
        corr = xp.eye(m)
        for k in range(m - 1):
            corr[k + 1:, k] = corr[k, k + 1:] = data[:, k] @ data[:, k + 1:]
        return {"corr": corr}

    return make, run


def doitgen():
    def make(rng, n):
        return {"A": rng.random((n, n, n)), "C4": rng.random((n, n))}

    def run(xp, i):
        A = i["A"]
        r, q, p = A.shape
        A[:] = xp.reshape(xp.reshape(A, (r, q, 1, p)) @ i["C4"], (r, q, p))
        return {"A": A}

    return make, run


def floyd_warshall():
    def make(rng, n):
        path = rng.integers(1, 1000, (n, n)).astype(np.int32)
        return {"path": path}

    def run(xp, i):
        path = i["path"]
        for k in range(path.shape[0]):
            path[:] = xp.minimum(path, path[:, k, xp.newaxis] + path[k])
        return {"path": path}

    return make, run


def nussinov():
    def make(rng, n):
        return {"seq": rng.integers(0, 4, n).astype(np.int32)}

    def run(xp, given):
        seq = given["seq"]
        n = seq.shape[0]
        table = xp.zeros((n, n), xp.int32)
        for i in range(n - 1, -1, -1):
            for j in range(i + 1, n):
                best = xp.maximum(table[i, j - 1], table[i + 1, j])
                diagonal = table[i + 1, j - 1]
                if i < j - 1:
                    diagonal = diagonal + (seq[i] + seq[j] == 3)
                best = xp.maximum(best, diagonal)
                if i + 1 < j:
                    best = xp.maximum(best, xp.max(table[i, i + 1:j] + table[i + 2:j + 1, j]))
                table[i, j] = best
        return {"table": table}

    return make, run


def deriche():
    def make(rng, n):
        return {"image": rng.random((n, n)), "alpha": 0.25}

    def run(xp, i):
        image, alpha = i["image"], i["alpha"]
        k = (1 - math.exp(-alpha))**2 / (1 + 2 * alpha * math.exp(-alpha) - math.exp(2 * alpha))
        a1 = k
        a2 = k * math.exp(-alpha) * (alpha - 1)
        a3 = k * math.exp(-alpha) * (alpha + 1)
        a4 = -k * math.exp(-2 * alpha)
        b1 = 2**-alpha
        b2 = -math.exp(-2 * alpha)
        y1, y2 = xp.empty_like(image), xp.empty_like(image)
        width, height = image.shape
        y1[:, 0] = a1 * image[:, 0]
        y1[:, 1] = a1 * image[:, 1] + a2 * image[:, 0] + b1 * y1[:, 0]
        for j in range(2, height):
            y1[:, j] = a1 * image[:, j] + a2 * image[:, j - 1] + b1 * y1[:, j - 1] + b2 * y1[:, j - 2]
        y2[:, -1] = 0
        y2[:, -2] = a3 * image[:, -1]
        for j in range(height - 3, -1, -1):
            y2[:, j] = a3 * image[:, j + 1] + a4 * image[:, j + 2] + b1 * y2[:, j + 1] + b2 * y2[:, j + 2]
        out = y1 + y2
        y1[0] = a1 * out[0]
        y1[1] = a1 * out[1] + a2 * out[0] + b1 * y1[0]
        for j in range(2, width):
            y1[j] = a1 * out[j] + a2 * out[j - 1] + b1 * y1[j - 1] + b2 * y1[j - 2]
        y2[-1] = 0
        y2[-2] = a3 * out[-1]
        for j in range(width - 3, -1, -1):
            y2[j] = a3 * out[j + 1] + a4 * out[j + 2] + b1 * y2[j + 1] + b2 * y2[j + 2]
        out = y1 + y2
        return {"out": out}

    return make, run


def adi():
    def make(rng, n):
        return {"u": rng.random((n, n)), "steps": 5}

    def run(xp, i):
        u, steps = i["u"], i["steps"]
        n = u.shape[0]
        mul1, mul2 = 2.0 / steps * n * n, 1.0 / steps * n * n
        a, b, d, e = -mul1 / 2, 1 + mul1, -mul2 / 2, 1 + mul2
        c, f = a, d
        v, p, q = xp.empty_like(u), xp.empty_like(u), xp.empty_like(u)
        v[:], p[:], q[:] = 0, 0, 0
        for _ in range(steps):
            v[0, 1:-1] = 1
            p[1:-1, 0] = 0
            q[1:-1, 0] = v[0, 1:-1]
            for j in range(1, n - 1):
                p[1:-1, j] = -c / (a * p[1:-1, j - 1] + b)
                q[1:-1, j] = (-d * u[j, :-2] + (1 + 2 * d) * u[j, 1:-1] - f * u[j, 2:] - a * q[1:-1, j - 1]
                              ) / (a * p[1:-1, j - 1] + b)
            v[-1, 1:-1] = 1
            for j in range(n - 2, 0, -1):
                v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
            u[1:-1, 0] = 1
            p[1:-1, 0] = 0
            q[1:-1, 0] = u[1:-1, 0]
            for j in range(1, n - 1):
                p[1:-1, j] = -f / (d * p[1:-1, j - 1] + e)
                q[1:-1, j] = (-a * v[:-2, j] + (1 + 2 * a) * v[1:-1, j] - c * v[2:, j] - d * q[1:-1, j - 1]
                              ) / (d * p[1:-1, j - 1] + e)
            u[1:-1, -1] = 1
            for j in range(n - 2, 0, -1):
                u[1:-1, j] = p[1:-1, j] * u[1:-1, j + 1] + q[1:-1, j]
        return {"u": u}

    return make, run


def seidel_2d():
    def make(rng, n):
        return {"A": rng.random((n, n)), "steps": 4}

    def run(xp, given):
        A = given["A"]
        n = A.shape[0]
        for _ in range(given["steps"]):
            for i in range(1, n - 1):
                A[i, 1:-1] += (A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:] + A[i + 1, :-2] +
                               A[i + 1, 1:-1] + A[i + 1, 2:])
                for j in range(1, n - 1):
                    A[i, j] += A[i, j - 1]
                    A[i, j] /= 9.0
        return {"A": A}

    return make, run


def jacobi_1d():
    def make(rng, n):
        return {"A": rng.random(n), "B": rng.random(n), "steps": 100}

    def run(xp, i):
        A, B = i["A"], i["B"]
        for _ in range(i["steps"]):
            B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
            A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])
        return {"A": A, "B": B}

    return make, run


def jacobi_2d():
    def make(rng, n):
        return {"A": rng.random((n, n)), "B": rng.random((n, n)), "steps": 20}

    def run(xp, i):
        A, B = i["A"], i["B"]
        for _ in range(i["steps"]):
            B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
            A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])
        return {"A": A, "B": B}

    return make, run


def heat_3d():
    def make(rng, n):
        return {"A": rng.random((n, n, n)), "B": rng.random((n, n, n)), "steps": 10}

    def run(xp, i):
        A, B = i["A"], i["B"]

        def step(new, old):
            center = old[1:-1, 1:-1, 1:-1]
            new[1:-1, 1:-1, 1:-1] = (
                0.125 * (old[2:, 1:-1, 1:-1] - 2.0 * center + old[:-2, 1:-1, 1:-1]) + 0.125 *
                (old[1:-1, 2:, 1:-1] - 2.0 * center + old[1:-1, :-2, 1:-1]) + 0.125 *
                (old[1:-1, 1:-1, 2:] - 2.0 * center + old[1:-1, 1:-1, :-2]) + center)

        for _ in range(i["steps"]):
            step(B, A)
            step(A, B)
        return {"A": A, "B": B}

    return make, run


def fdtd_2d():
    def make(rng, n):
        fields = {name: rng.random((n, n + n // 4)) for name in ("ex", "ey", "hz")}
        return {**fields, "fict": np.arange(20.0)}

    def run(xp, i):
        ex, ey, hz, fict = i["ex"], i["ey"], i["hz"], i["fict"]
        for t in range(fict.shape[0]):
            ey[0] = fict[t]
            ey[1:] -= 0.5 * (hz[1:] - hz[:-1])
            ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
            hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
        return {"ex": ex, "ey": ey, "hz": hz}

    return make, run


def hdiff():
    def make(rng, n):
        return {"field": rng.random((n + 4, n + 4, n // 2)), "coeff": rng.random((n, n, n // 2))}

    def run(xp, i):
        field, coeff = i["field"], i["coeff"]
        lap = 4.0 * field[1:-1, 1:-1] - (field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2])
        flx = lap[1:, 1:-1] - lap[:-1, 1:-1]
        flx = xp.where(flx * (field[2:-1, 2:-2] - field[1:-2, 2:-2]) > 0, 0, flx)
        fly = lap[1:-1, 1:] - lap[1:-1, :-1]
        fly = xp.where(fly * (field[2:-2, 2:-1] - field[2:-2, 1:-2]) > 0, 0, fly)
        return {"out": field[2:-2, 2:-2] - coeff * (flx[1:] - flx[:-1] + fly[:, 1:] - fly[:, :-1])}

    return make, run


def vadv():
    def make(rng, n):
        fields = {name: rng.random((n, n, n // 2)) for name in ("utens_stage", "u_stage", "u_pos", "utens")}
        return {**fields, "wcon": rng.random((n + 1, n, n // 2)), "dtr_stage": 3.0 / 20.0}

    def run(xp, i):
        utens_stage, u_stage, u_pos, utens, wcon = (
            i[name] for name in ("utens_stage", "u_stage", "u_pos", "utens", "wcon"))
        dtr_stage = i["dtr_stage"]
        last = u_stage.shape[2] - 1
        ccol, dcol = xp.empty_like(u_stage), xp.empty_like(u_stage)
        for k in range(last + 1):
            bcol, correction = dtr_stage, 0.0
            if k > 0:
                gav = -0.25 * (wcon[1:, :, k] + wcon[:-1, :, k])
                acol = gav * 0.5
                bcol = bcol - acol
                correction = correction - gav * 0.5 * (u_stage[:, :, k - 1] - u_stage[:, :, k])
            if k < last:
                gcv = 0.25 * (wcon[1:, :, k + 1] + wcon[:-1, :, k + 1])
                ccol[:, :, k] = gcv * 0.5
                bcol = bcol - ccol[:, :, k]
                correction = correction - gcv * 0.5 * (u_stage[:, :, k + 1] - u_stage[:, :, k])
            dcol[:, :, k] = dtr_stage * u_pos[:, :, k] + utens[:, :, k] + utens_stage[:, :, k] + correction
            if k > 0:
                divided = 1.0 / (bcol - ccol[:, :, k - 1] * acol)
                dcol[:, :, k] = (dcol[:, :, k] - dcol[:, :, k - 1] * acol) * divided
            else:
                divided = 1.0 / bcol
                dcol[:, :, k] *= divided
            if k < last:
                ccol[:, :, k] *= divided
        data = dcol[:, :, last]
        utens_stage[:, :, last] = dtr_stage * (data - u_pos[:, :, last])
        for k in range(last - 1, -1, -1):
            data = dcol[:, :, k] - ccol[:, :, k] * data
            utens_stage[:, :, k] = dtr_stage * (data - u_pos[:, :, k])
        return {"utens_stage": utens_stage}

    return make, run


MAKERS = (gemm, k2mm, k3mm, atax, bicg, mvt, gemver, gesummv, symm, syrk, syr2k, trmm, trisolv, lu, ludcmp, cholesky,
          durbin, gramschmidt, covariance, correlation, doitgen, floyd_warshall, nussinov, deriche, adi, seidel_2d,
          jacobi_1d, jacobi_2d, heat_3d, fdtd_2d, hdiff, vadv)
PROGRAMS = {make.__name__: make() for make in MAKERS}
SIZES = {
    "gemm": (64, 1500), "k2mm": (64, 1500), "k3mm": (64, 1500), "atax": (200, 8000), "bicg": (200, 8000),
    "mvt": (200, 8000), "gemver": (120, 5000), "gesummv": (200, 6000), "symm": (40, 250), "syrk": (50, 300),
    "syr2k": (40, 220), "trmm": (60, 400), "trisolv": (200, 6000), "lu": (60, 350), "ludcmp": (60, 350),
    "cholesky": (60, 400), "durbin": (200, 10000), "gramschmidt": (60, 400), "covariance": (80, 1000),
    "correlation": (80, 1000), "doitgen": (40, 250), "floyd_warshall": (120, 700), "nussinov": (40, 250),
    "deriche": (128, 3000), "adi": (100, 1200), "seidel_2d": (40, 300), "jacobi_1d": (2000, 1000000),
    "jacobi_2d": (120, 2000), "heat_3d": (24, 160), "fdtd_2d": (120, 1500), "hdiff": (32, 250), "vadv": (32, 250),
}
