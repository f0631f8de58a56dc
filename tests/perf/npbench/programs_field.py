"""NPBench's programs of simulation, learning and images, in NumPy or CuPy; see programs_linear.py."""
import numpy as np


def azimint_naive():
    def make(rng, n):
        return {"data": rng.random(n), "radius": rng.random(n), "npt": 100}

    def run(xp, i):
        data, radius, npt = i["data"], i["radius"], i["npt"]
        rmax = radius.max()
        res = xp.zeros(npt)
        for k in range(npt):
            r1 = rmax * k / npt
            r2 = rmax * (k + 1) / npt
            mask_r12 = xp.logical_and(r1 <= radius, radius < r2)
            res[k] = data[mask_r12].mean()
        return {"res": res}

    return make, run


def azimint_hist():
    def make(rng, n):
        return {"data": rng.random(n), "radius": rng.random(n), "npt": 100}

    def run(xp, i):
        histu = xp.histogram(i["radius"], i["npt"])[0]
        histw = xp.histogram(i["radius"], i["npt"], weights=i["data"])[0]
        return {"res": histw / histu}

    return make, run


def arc_distance():
    def make(rng, n):
        return {name: rng.random(n) for name in ("theta_1", "phi_1", "theta_2", "phi_2")}

    def run(xp, i):
        theta_1, phi_1, theta_2, phi_2 = i["theta_1"], i["phi_1"], i["theta_2"], i["phi_2"]
        temp = (xp.sin((theta_2 - theta_1) / 2)**2 +
                xp.cos(theta_1) * xp.cos(theta_2) * xp.sin((phi_2 - phi_1) / 2)**2)
        return {"distance": 2 * xp.arctan2(xp.sqrt(temp), xp.sqrt(1 - temp))}

    return make, run


def compute():
    def make(rng, n):
        return {"array_1": rng.integers(0, 1000, (n, n)), "array_2": rng.integers(0, 1000, (n, n)),
                "a": 4, "b": 3, "c": 9}

    def run(xp, i):
        return {"out": xp.clip(i["array_1"], 2, 10) * i["a"] + i["array_2"] * i["b"] + i["c"]}

    return make, run


def softmax_of(xp, x):
    tmp_max = xp.max(x, axis=-1, keepdims=True)
    tmp_out = xp.exp(x - tmp_max)
    tmp_sum = xp.sum(tmp_out, axis=-1, keepdims=True)
    return tmp_out / tmp_sum


def relu(xp, x):
    return xp.maximum(x, 0)


def softmax():
    def make(rng, n):
        return {"x": rng.random((n, 4, 128, 128), "float32")}

    def run(xp, i):
        return {"out": softmax_of(xp, i["x"])}

    return make, run


def mlp():
    def make(rng, n):
        layers = [3 * n, 10 * n, 5 * n, 10]
        weights = {f"w{k + 1}": rng.random((layers[k], layers[k + 1]), "float32") / layers[k] for k in range(3)}
        biases = {f"b{k + 1}": rng.random(layers[k + 1], "float32") for k in range(3)}
        return {"x": rng.random((8, layers[0]), "float32"), **weights, **biases}

    def run(xp, i):
        x = relu(xp, i["x"] @ i["w1"] + i["b1"])
        x = relu(xp, x @ i["w2"] + i["b2"])
        x = softmax_of(xp, x @ i["w3"] + i["b3"])
        return {"out": x}

    return make, run


def mandelbrot1():
    def make(rng, n):
        return {"xmin": -1.75, "xmax": 0.25, "xn": n, "ymin": -1.0, "ymax": 1.0, "yn": n, "maxiter": 60,
                "horizon": 2.0}

    def run(xp, i):
        X = xp.linspace(i["xmin"], i["xmax"], i["xn"])
        Y = xp.linspace(i["ymin"], i["ymax"], i["yn"])
        C = X + Y[:, None] * 1j
        N = xp.zeros(C.shape, dtype=xp.int64)
        Z = xp.zeros(C.shape, dtype=xp.complex128)
        for n in range(i["maxiter"]):
            I = xp.less(xp.abs(Z), i["horizon"])
            N[I] = n
            Z[I] = Z[I]**2 + C[I]
        N[N == i["maxiter"] - 1] = 0
        return {"Z": Z, "N": N}

    return make, run


def nbody():
    def make(rng, n):
        return {"mass": 20.0 * rng.random((n, 1)) / n, "pos": rng.standard_normal((n, 3)),
                "vel": rng.standard_normal((n, 3)), "dt": 0.01, "G": 1.0, "softening": 0.1, "Nt": 20}

    def acceleration(xp, pos, mass, G, softening):
        x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
        dx, dy, dz = x.T - x, y.T - y, z.T - z
        inv_r3 = dx**2 + dy**2 + dz**2 + softening**2
        inv_r3[inv_r3 > 0] = inv_r3[inv_r3 > 0]**-1.5
        ax = G * (dx * inv_r3) @ mass
        ay = G * (dy * inv_r3) @ mass
        az = G * (dz * inv_r3) @ mass
        return xp.hstack((ax, ay, az))

    def energy(xp, pos, vel, mass, G):
        KE = 0.5 * xp.sum(mass * vel**2)
        x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
        dx, dy, dz = x.T - x, y.T - y, z.T - z
        inv_r = xp.sqrt(dx**2 + dy**2 + dz**2)
        inv_r[inv_r > 0] = 1.0 / inv_r[inv_r > 0]
        PE = G * xp.sum(xp.triu(-(mass * mass.T) * inv_r, 1))
        return KE, PE

    def run(xp, i):
        mass, pos, vel, dt, G, Nt = i["mass"], i["pos"], i["vel"], i["dt"], i["G"], i["Nt"]
        vel -= xp.mean(mass * vel, axis=0) / xp.mean(mass)
        acc = acceleration(xp, pos, mass, G, i["softening"])
        KE, PE = xp.empty(Nt + 1), xp.empty(Nt + 1)
        KE[0], PE[0] = energy(xp, pos, vel, mass, G)
        for k in range(Nt):
            vel += acc * dt / 2.0
            pos += vel * dt
            acc = acceleration(xp, pos, mass, G, i["softening"])
            vel += acc * dt / 2.0
            KE[k + 1], PE[k + 1] = energy(xp, pos, vel, mass, G)
        return {"KE": KE, "PE": PE, "pos": pos, "vel": vel}

    return make, run


def build_up_b(rho, dt, u, v, dx, dy):
    du_dx = (u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx)
    dv_dy = (v[2:, 1:-1] - v[0:-2, 1:-1]) / (2 * dy)
    return rho * (1 / dt * (du_dx + dv_dy) - du_dx**2 - 2 *
                  ((u[2:, 1:-1] - u[0:-2, 1:-1]) / (2 * dy) * (v[1:-1, 2:] - v[1:-1, 0:-2]) / (2 * dx)) - dv_dy**2)


def cavity_flow():
    def make(rng, n):
        return {"u": rng.random((n, n)) * 0.01, "v": rng.random((n, n)) * 0.01, "p": rng.random((n, n)) * 0.01,
                "dx": 2 / (n - 1), "dy": 2 / (n - 1), "dt": 0.01 / n, "nt": 5 if n > 500 else 25, "nit": 10,
                "rho": 1.0, "nu": 0.1}

    def pressure_poisson(p, dx, dy, b, nit):
        for _ in range(nit):
            pn = p.copy()
            p[1:-1, 1:-1] = (((pn[1:-1, 2:] + pn[1:-1, 0:-2]) * dy**2 + (pn[2:, 1:-1] + pn[0:-2, 1:-1]) * dx**2) /
                             (2 * (dx**2 + dy**2)) - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[1:-1, 1:-1])
            p[:, -1] = p[:, -2]
            p[0, :] = p[1, :]
            p[:, 0] = p[:, 1]
            p[-1, :] = 0

    def run(xp, i):
        u, v, p, dx, dy, dt, rho, nu = (i[name] for name in ("u", "v", "p", "dx", "dy", "dt", "rho", "nu"))
        b = xp.zeros(u.shape)
        for _ in range(i["nt"]):
            un, vn = u.copy(), v.copy()
            b[1:-1, 1:-1] = build_up_b(rho, dt, u, v, dx, dy)
            pressure_poisson(p, dx, dy, b, i["nit"])
            uc, vc = un[1:-1, 1:-1], vn[1:-1, 1:-1]
            u[1:-1, 1:-1] = (uc - uc * dt / dx * (uc - un[1:-1, 0:-2]) - vc * dt / dy * (uc - un[0:-2, 1:-1]) - dt /
                             (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, 0:-2]) + nu *
                             (dt / dx**2 * (un[1:-1, 2:] - 2 * uc + un[1:-1, 0:-2]) + dt / dy**2 *
                              (un[2:, 1:-1] - 2 * uc + un[0:-2, 1:-1])))
            v[1:-1, 1:-1] = (vc - uc * dt / dx * (vc - vn[1:-1, 0:-2]) - vc * dt / dy * (vc - vn[0:-2, 1:-1]) - dt /
                             (2 * rho * dy) * (p[2:, 1:-1] - p[0:-2, 1:-1]) + nu *
                             (dt / dx**2 * (vn[1:-1, 2:] - 2 * vc + vn[1:-1, 0:-2]) + dt / dy**2 *
                              (vn[2:, 1:-1] - 2 * vc + vn[0:-2, 1:-1])))
            u[0, :] = 0
            u[:, 0] = 0
            u[:, -1] = 0
            u[-1, :] = 1
            v[0, :] = 0
            v[-1, :] = 0
            v[:, 0] = 0
            v[:, -1] = 0
        return {"u": u, "v": v, "p": p}

    return make, run


def go_fast():
    def make(rng, n):
        return {"a": rng.random((n, n))}

    def run(xp, i):
        a = i["a"]
        trace = 0.0
        for k in range(a.shape[0]):
            trace += xp.tanh(a[k, k])
        return {"out": a + trace}

    return make, run


def conv2d(xp, input, weights):
    K = weights.shape[0]
    N = input.shape[0]
    H_out = input.shape[1] - K + 1
    W_out = input.shape[2] - K + 1
    output = xp.empty((N, H_out, W_out, weights.shape[3]), dtype=xp.float32)
    for i in range(H_out):
        for j in range(W_out):
            output[:, i, j, :] = xp.sum(input[:, i:i + K, j:j + K, :, None] * weights[None], axis=(1, 2, 3))
    return output


def conv2d_bias():
    def make(rng, n):
        return {"input": rng.random((4, n, n, 3), "float32"), "weights": rng.random((5, 5, 3, 16), "float32"),
                "bias": rng.random(16, "float32")}

    def run(xp, i):
        return {"out": conv2d(xp, i["input"], i["weights"]) + i["bias"]}

    return make, run


def maxpool2d(xp, x):
    output = xp.empty([x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]], dtype=x.dtype)
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            output[:, i, j, :] = xp.max(x[:, 2 * i:2 * i + 2, 2 * j:2 * j + 2, :], axis=(1, 2))
    return output


def lenet():
    def make(rng, n):
        size = ((28 - 4) // 2 - 4) // 2
        flat = 16 * size * size

        def draw(*shape):
            return rng.random(shape, "float32") - rng.random((), "float32") / 2

        return {"input": draw(n, 28, 28, 1), "conv1": draw(5, 5, 1, 6), "conv1bias": draw(6),
                "conv2": draw(5, 5, 6, 16), "conv2bias": draw(16), "fc1w": draw(flat, 120), "fc1b": draw(120),
                "fc2w": draw(120, 84), "fc2b": draw(84), "fc3w": draw(84, 10), "fc3b": draw(10)}

    def run(xp, i):
        x = relu(xp, conv2d(xp, i["input"], i["conv1"]) + i["conv1bias"])
        x = maxpool2d(xp, x)
        x = relu(xp, conv2d(xp, x, i["conv2"]) + i["conv2bias"])
        x = maxpool2d(xp, x)
        x = xp.reshape(x, (x.shape[0], -1))
        x = relu(xp, x @ i["fc1w"] + i["fc1b"])
        x = relu(xp, x @ i["fc2w"] + i["fc2b"])
        return {"out": x @ i["fc3w"] + i["fc3b"]}

    return make, run


def resnet():
    def make(rng, n):
        return {"input": rng.random((8, n, n, 64), "float32"), "conv1": rng.random((1, 1, 64, 16), "float32"),
                "conv2": rng.random((3, 3, 16, 16), "float32"), "conv3": rng.random((1, 1, 16, 64), "float32")}

    def batchnorm2d(xp, x, eps=1e-5):
        mean = xp.mean(x, axis=0, keepdims=True)
        std = xp.std(x, axis=0, keepdims=True)
        return (x - mean) / xp.sqrt(std + eps)

    def run(xp, i):
        input = i["input"]
        padded = xp.zeros((input.shape[0], input.shape[1] + 2, input.shape[2] + 2, i["conv1"].shape[3]), xp.float32)
        padded[:, 1:-1, 1:-1, :] = conv2d(xp, input, i["conv1"])
        x = relu(xp, batchnorm2d(xp, padded))
        x = relu(xp, batchnorm2d(xp, conv2d(xp, x, i["conv2"])))
        x = batchnorm2d(xp, conv2d(xp, x, i["conv3"]))
        return {"out": relu(xp, x + input)}

    return make, run


def mandelbrot2():
    def make(rng, n):
        return {"xmin": -1.75, "xmax": 0.25, "xn": n, "ymin": -1.0, "ymax": 1.0, "yn": n, "itermax": 60,
                "horizon": 2.0}

    def run(xp, i):
        xn, yn, horizon = i["xn"], i["yn"], i["horizon"]
        Xi, Yi = xp.indices((xn, yn))
        X = xp.linspace(i["xmin"], i["xmax"], xn)[Xi]
        Y = xp.linspace(i["ymin"], i["ymax"], yn)[Yi]
        C = X + Y * 1j
        N_ = xp.zeros(C.shape, dtype=xp.int64)
        Z_ = xp.zeros(C.shape, dtype=xp.complex128)
        Xi, Yi, C = Xi.ravel(), Yi.ravel(), C.ravel()
        Z = xp.zeros(C.shape, xp.complex128)
        for k in range(i["itermax"]):
            if not len(Z):
                break
            Z[:] = Z * Z
            Z += C
            I = abs(Z) > horizon
            N_[Xi[I], Yi[I]] = k + 1
            Z_[Xi[I], Yi[I]] = Z[I]
            stays = ~I
            Z = Z[stays]
            Xi, Yi = Xi[stays], Yi[stays]
            C = C[stays]
        return {"Z": Z_.T, "N": N_.T}

    return make, run


def channel_flow():
    # Shifts along x: the columns inside, and the two at the ends with their periodic neighbours.
    columns = ((slice(0, -2), slice(1, -1), slice(2, None)), (-2, -1, 0), (-1, 0, 1))

    def make(rng, n):
        return {"u": rng.random((n, n)) * 0.01, "v": rng.random((n, n)) * 0.01, "p": rng.random((n, n)) * 0.01,
                "dx": 2 / (n - 1), "dy": 2 / (n - 1), "dt": 0.02 / n, "nit": 10, "rho": 1.0, "nu": 0.1, "F": 1.0,
                "least": 0.009 if n < 500 else 0.06}

    def build_up_b(b, rho, dt, u, v, dx, dy):
        for w, c, e in columns:
            b[1:-1, c] = (rho * (1 / dt * ((u[1:-1, e] - u[1:-1, w]) / (2 * dx) +
                                           (v[2:, c] - v[0:-2, c]) / (2 * dy)) -
                                 ((u[1:-1, e] - u[1:-1, w]) / (2 * dx))**2 - 2 *
                                 ((u[2:, c] - u[0:-2, c]) / (2 * dy) * (v[1:-1, e] - v[1:-1, w]) / (2 * dx)) -
                                 ((v[2:, c] - v[0:-2, c]) / (2 * dy))**2))

    def pressure_poisson_periodic(p, dx, dy, b, nit):
        for _ in range(nit):
            pn = p.copy()
            for w, c, e in columns:
                p[1:-1, c] = (((pn[1:-1, e] + pn[1:-1, w]) * dy**2 + (pn[2:, c] + pn[0:-2, c]) * dx**2) /
                              (2 * (dx**2 + dy**2)) - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[1:-1, c])
            p[-1, :] = p[-2, :]
            p[0, :] = p[1, :]

    def run(xp, i):
        u, v, p, dx, dy, dt, rho, nu, F = (i[name] for name in ("u", "v", "p", "dx", "dy", "dt", "rho", "nu", "F"))
        b = xp.zeros(u.shape)
        udiff = 1
        stepcount = 0
        while udiff > i["least"]:
            un, vn = u.copy(), v.copy()
            build_up_b(b, rho, dt, u, v, dx, dy)
            pressure_poisson_periodic(p, dx, dy, b, i["nit"])
            for w, c, e in columns:
                uc, vc = un[1:-1, c], vn[1:-1, c]
                u[1:-1, c] = (uc - uc * dt / dx * (uc - un[1:-1, w]) - vc * dt / dy * (uc - un[0:-2, c]) - dt /
                              (2 * rho * dx) * (p[1:-1, e] - p[1:-1, w]) + nu *
                              (dt / dx**2 * (un[1:-1, e] - 2 * uc + un[1:-1, w]) + dt / dy**2 *
                               (un[2:, c] - 2 * uc + un[0:-2, c])) + F * dt)
                v[1:-1, c] = (vc - uc * dt / dx * (vc - vn[1:-1, w]) - vc * dt / dy * (vc - vn[0:-2, c]) - dt /
                              (2 * rho * dy) * (p[2:, c] - p[0:-2, c]) + nu *
                              (dt / dx**2 * (vn[1:-1, e] - 2 * vc + vn[1:-1, w]) + dt / dy**2 *
                               (vn[2:, c] - 2 * vc + vn[0:-2, c])))
            u[0, :] = 0
            u[-1, :] = 0
            v[0, :] = 0
            v[-1, :] = 0
            udiff = (xp.sum(u) - xp.sum(un)) / xp.sum(u)
            stepcount += 1
        return {"u": u, "v": v, "p": p, "steps": xp.asarray(stepcount)}

    return make, run


def scattering_self_energies():
    def make(rng, n):
        Nkz, NE, Nqz, Nw, N3D, NA, NB, Norb = (2, 4, 2, 2, 2, 6, 2, 3) if n <= 1 else (2, 6, 2, 3, 2, 6 * n, 4, 4)

        def draw(*shape):
            return rng.random(shape) + 1j * rng.random(shape)

        return {"neigh_idx": rng.integers(0, NA, (NA, NB)).astype("int32"), "dH": draw(NA, NB, N3D, Norb, Norb),
                "G": draw(Nkz, NE, NA, Norb, Norb), "D": draw(Nqz, Nw, NA, NB, N3D, N3D),
                "Sigma": 0 * draw(Nkz, NE, NA, Norb, Norb)}

    def run(xp, i):
        neigh_idx, dH, G, D, Sigma = i["neigh_idx"], i["dH"], i["G"], i["D"], i["Sigma"]
        for k in range(G.shape[0]):
            for E in range(G.shape[1]):
                for q in range(D.shape[0]):
                    for w in range(D.shape[1]):
                        for m in range(D.shape[-2]):
                            for n in range(D.shape[-1]):
                                for a in range(neigh_idx.shape[0]):
                                    for b in range(neigh_idx.shape[1]):
                                        if E - w < 0:
                                            continue
                                        dHG = G[k, E - w, neigh_idx[a, b]] @ dH[a, b, m]
                                        dHD = dH[a, b, n] * D[q, w, a, b, m, n]
                                        Sigma[k, E, a] += dHG @ dHD
        return {"Sigma": Sigma}

    return make, run


def spmv():
    def make(rng, n):
        counts = rng.integers(1, 33, n)
        rows = [0, *counts.cumsum()]
        return {"A_row": np.array(rows, "uint32"), "A_col": rng.integers(0, n, rows[-1]).astype("uint32"),
                "A_val": rng.random(rows[-1]), "x": rng.random(n)}

    def run(xp, i):
        A_row, A_col, A_val, x = i["A_row"], i["A_col"], i["A_val"], i["x"]
        y = xp.empty(A_row.size - 1, A_val.dtype)
        for k in range(A_row.size - 1):
            cols = A_col[A_row[k]:A_row[k + 1]]
            vals = A_val[A_row[k]:A_row[k + 1]]
            y[k] = vals @ x[cols]
        return {"y": y}

    return make, run


def stockham_fft():
    def make(rng, n):
        R = 4
        return {"R": R, "K": n, "x": rng.random(R**n) + 1j * rng.random(R**n)}

    def run(xp, i):
        R, K, x = i["R"], i["K"], i["x"]
        N = x.size
        i_coord, j_coord = xp.arange(R)[:, None], xp.arange(R)
        dft_mat = xp.exp(-2.0j * xp.pi * i_coord * j_coord / R)
        y = x.copy()
        ii_coord, jj_coord = xp.arange(R)[:, None], xp.arange(N)
        before = 1
        for _ in range(K):
            after = N // before // R
            yv = xp.reshape(y, (before, R, after))
            tmp_perm = xp.transpose(yv, axes=(1, 0, 2))
            tmp = xp.exp(-2.0j * xp.pi * ii_coord * jj_coord[:before] / (before * R))
            D = xp.repeat(xp.reshape(tmp, (R, before, 1)), after, axis=2)
            tmp_twid = xp.reshape(tmp_perm, (N, )) * xp.reshape(D, (N, ))
            y[:] = xp.reshape(dft_mat @ xp.reshape(tmp_twid, (R, N // R)), (N, ))
            before *= R
        return {"y": y}

    return make, run


def crc16():
    def make(rng, n):
        return {"data": rng.integers(0, 256, n).astype("uint8"), "poly": 0x8408}

    def run(xp, i):
        data, poly = i["data"], i["poly"]
        crc = 0xFFFF
        for b in data:
            cur_byte = 0xFF & int(b)
            for _ in range(8):
                crc = (crc >> 1) ^ poly if (crc & 1) ^ (cur_byte & 1) else crc >> 1
                cur_byte >>= 1
        crc = ~crc & 0xFFFF
        crc = (crc << 8) | ((crc >> 8) & 0xFF)
        return {"crc": xp.asarray(crc & 0xFFFF)}

    return make, run


def contour_integral():
    def make(rng, n):
        def draw(*shape):
            return rng.random(shape) + 1j * rng.random(shape)

        return {"Ham": draw(3, n, n), "int_pts": draw(32), "Y": draw(n, max(n // 2, 2)), "slab_per_bc": 2}

    def run(xp, i):
        Ham, int_pts, Y, slab_per_bc = i["Ham"], i["int_pts"], i["Y"], i["slab_per_bc"]
        NR, NM = Y.shape
        P0 = xp.zeros((NR, NM), dtype=xp.complex128)
        P1 = xp.zeros((NR, NM), dtype=xp.complex128)
        for z in int_pts:
            Tz = xp.zeros((NR, NR), dtype=xp.complex128)
            for n in range(slab_per_bc + 1):
                zz = xp.power(z, slab_per_bc / 2 - n)
                Tz += zz * Ham[n]
            X = xp.linalg.inv(Tz) if NR == NM else xp.linalg.solve(Tz, Y)
            if abs(z) < 1.0:
                X = -X
            P0 += X
            P1 += z * X
        return {"P0": P0, "P1": P1}

    return make, run


def layer_norm():
    def make(rng, n):
        return {"x": rng.random((n, 4 * n), "float32"), "gamma": rng.random(4 * n, "float32"),
                "beta": rng.random(4 * n, "float32")}

    def run(xp, i):
        x = i["x"]
        mean = x.mean(-1, keepdims=True)
        variance = x.var(-1, keepdims=True)
        return {"out": i["gamma"] * (x - mean) / xp.sqrt(variance + 1e-5) + i["beta"]}

    return make, run


def attention():
    def make(rng, n):
        return {name: rng.random((8, n, 64), "float32") for name in "QKV"}

    def run(xp, i):
        Q, K, V = i["Q"], i["K"], i["V"]
        scores = Q @ K.transpose(0, 2, 1) / float(xp.sqrt(Q.shape[2]))
        weights = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
        weights /= xp.sum(weights, axis=-1, keepdims=True)
        return {"out": weights @ V}

    return make, run


def game_of_life():
    def make(rng, n):
        return {"world": rng.integers(0, 2, (n, n)).astype("uint8"), "steps": 50}

    def run(xp, i):
        world = i["world"]
        mid, lo, hi = slice(1, -1), slice(0, -2), slice(2, None)
        for _ in range(i["steps"]):
            p = xp.pad(world, 1, mode="wrap")
            neighbours = (p[lo, lo] + p[lo, mid] + p[lo, hi] + p[mid, lo] + p[mid, hi] + p[hi, lo] + p[hi, mid] +
                          p[hi, hi])
            born = (neighbours == 3) & (world == 0)
            survives = ((neighbours == 2) | (neighbours == 3)) & (world == 1)
            world[:] = 0
            world[born | survives] = 1
        return {"world": world, "alive": xp.sum(world)}

    return make, run


def ising():
    def make(rng, n):
        return {"spins": rng.choice([-1, 1], (n, n)), "random": rng.random((10, n, n)), "beta": 0.4}

    def run(xp, i):
        spins, random, beta = i["spins"], i["random"], i["beta"]
        n, steps = spins.shape[0], random.shape[0]
        colour = (xp.arange(n)[:, None] + xp.arange(n)) % 2
        magnetisation = xp.empty(steps)
        for t in range(steps):
            for parity in range(2):
                neighbours = (xp.roll(spins, 1, 0) + xp.roll(spins, -1, 0) + xp.roll(spins, 1, 1) +
                              xp.roll(spins, -1, 1))
                dE = 2 * spins * neighbours
                flips = (colour == parity) & (random[t] < xp.exp(-beta * dE))
                spins = xp.where(flips, -spins, spins)
            magnetisation[t] = xp.mean(spins)
        return {"spins": spins, "magnetisation": magnetisation}

    return make, run


def sir():
    def make(rng, n):
        infected = rng.random(n) * 0.01
        contact = rng.random((n, n))
        return {"contact": contact / contact.sum(1, keepdims=True),
                "y": np.stack((1 - infected, infected, 0 * infected)), "beta": 0.3, "gamma": 0.1, "dt": 0.5,
                "steps": 100}

    def run(xp, i):
        contact, y, beta, gamma, dt, steps = (i[name] for name in ("contact", "y", "beta", "gamma", "dt", "steps"))

        def f(y):
            S, I = y[0], y[1]
            infected = beta * S * (contact @ I)
            recovered = gamma * I
            return xp.stack((-infected, infected - recovered, recovered))

        history = xp.empty((steps, 3))
        for t in range(steps):
            k1 = f(y)
            k2 = f(y + dt / 2 * k1)
            k3 = f(y + dt / 2 * k2)
            k4 = f(y + dt * k3)
            y = y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            history[t] = y.sum(1)
        return {"y": y, "history": history}

    return make, run


def wave_2d():
    def make(rng, n):
        return {"u": rng.random((n, n)) * 0.01, "steps": 20, "width": 10, "c": 0.5}

    def run(xp, i):
        u, steps, width, c = i["u"], i["steps"], i["width"], i["c"]
        u_old = u.copy()
        n = u.shape[0]
        mid, lo, hi = slice(1, -1), slice(0, -2), slice(2, None)
        k = xp.arange(n)
        rim = xp.minimum(k, n - 1 - k)
        depth = xp.clip(width - xp.minimum(rim[:, None], rim), 0, None) / width
        damping = xp.exp(-0.3 * depth**2)
        energy = xp.empty(steps)
        for t in range(steps):
            u_new = xp.zeros_like(u)
            laplacian = u[lo, mid] + u[hi, mid] + u[mid, lo] + u[mid, hi] - 4 * u[mid, mid]
            u_new[mid, mid] = 2 * u[mid, mid] - u_old[mid, mid] + c * c * laplacian
            u_new[n // 2, n // 2] += np.sin(0.3 * t)
            u_new *= damping
            u_old = u * damping
            u = u_new
            energy[t] = xp.sum((u - u_old)**2)
        return {"u": u, "energy": energy}

    return make, run


def pagerank():
    def make(rng, n):
        return {"links": (rng.random((n, n)) < 0.05).astype("float64")}

    def run(xp, i):
        links = i["links"]
        n = links.shape[0]
        d = 0.85
        out = links.sum(axis=0)
        M = xp.where(out > 0, links / xp.maximum(out, 1), 1.0 / n)
        rank = xp.full(n, 1.0 / n)
        for _ in range(50):
            rank = d * (M @ rank) + (1 - d) / n
            rank /= rank.sum()
        return {"rank": rank}

    return make, run


def particle_in_cell():
    def make(rng, n):
        return {"x": rng.random(n) * 64, "v": rng.standard_normal(n), "cells": 64, "steps": 20, "dt": 0.1}

    def run(xp, i):
        x, v, cells, steps, dt = i["x"], i["v"], i["cells"], i["steps"], i["dt"]
        charge = cells / x.size
        energy = xp.empty(steps)
        for t in range(steps):
            left = xp.floor(x)
            weight = x - left
            cell = left.astype(xp.int64) % cells
            next = (cell + 1) % cells
            rho = xp.bincount(cell, charge * (1 - weight), cells)
            xp.add.at(rho, next, charge * weight)
            E = xp.cumsum(1 - rho)
            E -= E.mean()
            field = xp.take(E, cell) * (1 - weight) + xp.take(E, next) * weight
            v -= field * dt
            x = (x + v * dt) % cells
            energy[t] = 0.5 * xp.sum(E**2)
        return {"x": x, "v": v, "E": E, "energy": energy}

    return make, run


def knn():
    def make(rng, n):
        return {"train": rng.random((n, 16)), "labels": rng.integers(0, 10, n), "test": rng.random((n // 4, 16)),
                "k": 10, "classes": 10}

    def run(xp, i):
        train, labels, test, k, classes = (i[name] for name in ("train", "labels", "test", "k", "classes"))
        distances = xp.sum(test**2, axis=1)[:, None] - 2 * test @ train.T + xp.sum(train**2, axis=1)
        nearest = xp.argsort(distances, axis=1)[:, :k]
        votes = labels[nearest]
        counts = xp.sum(votes[:, :, None] == xp.arange(classes), axis=1)
        return {"classes": xp.argmax(counts, axis=1), "nearest": nearest}

    return make, run


def image_pipeline():
    def make(rng, n):
        return {"image": rng.integers(0, 256, (n, n, 3)).astype("uint8")}

    def run(xp, i):
        image = i["image"]
        grey = 0.299 * image[:, :, 0] + 0.587 * image[:, :, 1] + 0.114 * image[:, :, 2]
        rows = (grey[0:-4, :] + 4 * grey[1:-3, :] + 6 * grey[2:-2, :] + 4 * grey[3:-1, :] + grey[4:, :]) / 16
        b = (rows[:, 0:-4] + 4 * rows[:, 1:-3] + 6 * rows[:, 2:-2] + 4 * rows[:, 3:-1] + rows[:, 4:]) / 16
        lo, mid, hi = slice(0, -2), slice(1, -1), slice(2, None)
        gx = b[lo, hi] + 2 * b[mid, hi] + b[hi, hi] - b[lo, lo] - 2 * b[mid, lo] - b[hi, lo]
        gy = b[hi, lo] + 2 * b[hi, mid] + b[hi, hi] - b[lo, lo] - 2 * b[lo, mid] - b[lo, hi]
        magnitude = xp.hypot(gx, gy)
        edges = magnitude > magnitude.mean() + 2 * magnitude.std()
        as_bytes = b.astype(xp.uint8)
        histogram = xp.bincount(as_bytes.ravel(), minlength=256)
        cdf = xp.cumsum(histogram)
        lookup = (255 * (cdf - cdf[0]) / (as_bytes.size - cdf[0])).astype(xp.uint8)
        return {"edges": edges, "equal": xp.take(lookup, as_bytes), "histogram": histogram}

    return make, run


# Name: the program, and its small and its large size.
PROGRAMS = {
    "azimint_naive": azimint_naive(), "azimint_hist": azimint_hist(), "arc_distance": arc_distance(),
    "compute": compute(), "softmax": softmax(), "mlp": mlp(), "mandelbrot1": mandelbrot1(), "nbody": nbody(),
    "cavity_flow": cavity_flow(), "go_fast": go_fast(), "conv2d_bias": conv2d_bias(), "lenet": lenet(),
    "resnet": resnet(), "mandelbrot2": mandelbrot2(), "channel_flow": channel_flow(),
    "scattering_self_energies": scattering_self_energies(), "spmv": spmv(), "stockham_fft": stockham_fft(),
    "crc16": crc16(), "contour_integral": contour_integral(), "layer_norm": layer_norm(), "attention": attention(),
    "game_of_life": game_of_life(), "ising": ising(), "sir": sir(), "wave_2d": wave_2d(), "pagerank": pagerank(),
    "particle_in_cell": particle_in_cell(), "knn": knn(), "image_pipeline": image_pipeline(),
}
SIZES = {
    "azimint_naive": (10000, 400000), "azimint_hist": (10000, 4000000), "arc_distance": (10000, 4000000),
    "compute": (128, 3000), "softmax": (1, 128), "mlp": (10, 300), "mandelbrot1": (64, 400), "nbody": (25, 400),
    "cavity_flow": (61, 1500), "go_fast": (200, 3000), "conv2d_bias": (16, 64), "lenet": (4, 128), "resnet": (6, 28),
    "mandelbrot2": (64, 500), "channel_flow": (61, 1000), "scattering_self_energies": (1, 2), "spmv": (1024, 65536),
    "stockham_fft": (5, 9), "crc16": (1600, 200000), "contour_integral": (20, 200),
    "layer_norm": (64, 1500), "attention": (64, 512), "game_of_life": (64, 1500), "ising": (64, 1000),
    "sir": (64, 1500), "wave_2d": (64, 1500), "pagerank": (64, 2500), "particle_in_cell": (2000, 1000000),
    "knn": (256, 4000),
    "image_pipeline": (128, 2500),
}
