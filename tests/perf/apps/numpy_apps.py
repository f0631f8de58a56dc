"""The programs of apps/ in NumPy, as its users write them: numpy_apps.py NAME SIZE ITERATIONS [MORE...]

Each makes its arrays, then is timed as the C++ program is, and prints the same line.
"""
import sys
import time

import numpy as np


def black_scholes(size, scenarios):
    from scipy.special import erfc
    rng = np.random.default_rng(42)
    spot, strike, years = rng.uniform(10, 50, size), rng.uniform(5, 60, size), rng.uniform(0.25, 4, size)
    rate = 0.02

    def distribution(x):
        return 0.5 * erfc(x * -(0.5**0.5))

    def run():
        for scenario in range(scenarios):
            volatility = 0.1 + 0.05 * (scenario % 10)
            deviation = volatility * np.sqrt(years)
            d1 = (np.log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / deviation
            d2 = d1 - deviation
            discounted = strike * np.exp(-rate * years)
            call = spot * distribution(d1) - discounted * distribution(d2)
            put = discounted * distribution(-d2) - spot * distribution(-d1)
            call.mean()
        return call, put

    return run


def gray_scott(size, iterations):
    rng = np.random.default_rng(1)
    u, v = 1 - 0.02 * rng.random((size, size)), 0.02 * rng.random((size, size))
    middle = slice(size // 2 - size // 16, size // 2 + size // 16 + 1)
    u[middle, middle], v[middle, middle] = 0.5, 0.25

    def laplacian(a):
        return np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1) - 4 * a

    def run():
        nonlocal u, v
        for _ in range(iterations):
            spread_u, spread_v = 0.16 * laplacian(u), 0.08 * laplacian(v)
            reaction = u * v * v
            u += spread_u - reaction + 0.06 * (1 - u)
            v += spread_v + reaction - 0.122 * v

    return run


def conjugate_gradient(size, iterations):
    b = np.random.default_rng(7).uniform(-1, 1, (size, size))

    def run():
        rimmed = np.zeros((size + 2, size + 2))
        p = rimmed[1:-1, 1:-1]
        north, south, west, east = rimmed[:-2, 1:-1], rimmed[2:, 1:-1], rimmed[1:-1, :-2], rimmed[1:-1, 2:]
        x, r = np.zeros_like(b), b.copy()
        p[:] = r
        squares = np.sum(r * r)
        enough = 1e-16 * squares
        for iteration in range(iterations):
            product = 4 * p - north - south - west - east
            alpha = squares / max(np.sum(p * product), 2.3e-308)
            x += alpha * p
            r -= alpha * product
            following = np.sum(r * r)
            p[:] = r + following / max(squares, 2.3e-308) * p
            squares = following
            if iteration % 10 == 9 and squares <= enough:
                break

    return run


def flow(size):
    h = 2 / (size - 1)
    return h, np.zeros((size, size)), np.zeros((size, size))


def cavity(size, steps, sweeps=50):
    h, u, v = flow(size)
    p, b = np.zeros((size, size)), np.zeros((size, size))
    dt = min(0.02 * h, 0.1 * h * h / 0.1)
    courant, spread, push = dt / h, 0.1 * dt / (h * h), dt / (2 * h)
    middle = (slice(1, -1), slice(1, -1))

    def carried(a, u, v):
        centre = a[middle]
        return (centre - u[middle] * courant * (centre - a[1:-1, :-2]) - v[middle] * courant * (centre - a[:-2, 1:-1]) +
                spread * (a[1:-1, 2:] + a[1:-1, :-2] + a[2:, 1:-1] + a[:-2, 1:-1] - 4 * centre))

    def run():
        for _ in range(steps):
            u_x, u_y = (u[1:-1, 2:] - u[1:-1, :-2]) / (2 * h), (u[2:, 1:-1] - u[:-2, 1:-1]) / (2 * h)
            v_x, v_y = (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * h), (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * h)
            b[middle] = (u_x + v_y) / dt - u_x**2 - 2 * (u_y * v_x) - v_y**2
            for _ in range(sweeps):
                q = p.copy()
                p[middle] = 0.25 * (q[1:-1, 2:] + q[1:-1, :-2] + q[2:, 1:-1] + q[:-2, 1:-1]) - 0.25 * h * h * b[middle]
                p[:, -1] = p[:, -2]
                p[0, :] = p[1, :]
                p[:, 0] = p[:, 1]
                p[-1, :] = 0
            un, vn = u.copy(), v.copy()
            u[middle] = carried(un, un, vn) - push * (p[1:-1, 2:] - p[1:-1, :-2])
            v[middle] = carried(vn, un, vn) - push * (p[2:, 1:-1] - p[:-2, 1:-1])
            for a in (u, v):
                a[0, :] = a[:, 0] = a[:, -1] = a[-1, :] = 0
            u[-1, :] = 1

    return run


def channel(size, steps, sweeps=50):
    h, u, v = flow(size)
    p = np.ones((size, size))
    dt = min(0.2 * h, 0.1 * h * h / 0.1)
    courant, spread, push = dt / h, 0.1 * dt / (h * h), dt / (2 * h)

    def east(a):
        return np.roll(a, -1, 1)[1:-1]

    def west(a):
        return np.roll(a, 1, 1)[1:-1]

    def carried(a, u, v):
        centre = a[1:-1]
        return (centre - u[1:-1] * courant * (centre - west(a)) - v[1:-1] * courant * (centre - a[:-2]) + spread *
                (east(a) + west(a) + a[2:] + a[:-2] - 4 * centre))

    def run():
        for _ in range(steps):
            u_x, u_y = (east(u) - west(u)) / (2 * h), (u[2:] - u[:-2]) / (2 * h)
            v_x, v_y = (east(v) - west(v)) / (2 * h), (v[2:] - v[:-2]) / (2 * h)
            b = (u_x + v_y) / dt - u_x**2 - 2 * (u_y * v_x) - v_y**2
            for _ in range(sweeps):
                p[1:-1] = 0.25 * (east(p) + west(p) + p[2:] + p[:-2]) - 0.25 * h * h * b
                p[-1, :] = p[-2, :]
                p[0, :] = p[1, :]
            un, vn = u.copy(), v.copy()
            u[1:-1] = carried(un, un, vn) - push * (east(p) - west(p)) + dt
            v[1:-1] = carried(vn, un, vn) - push * (p[2:] - p[:-2])
            if (np.sum(u) - np.sum(un)) / np.sum(u) <= 0.001:
                break

    return run


def kmeans(size, iterations, axes=2, clusters=8):
    rng = np.random.default_rng(3)
    middles = rng.uniform(-10, 10, (clusters, axes))
    points = rng.standard_normal((size, axes)) + middles[rng.integers(0, clusters, size)]

    def run():
        centres = points[:clusters].copy()
        for _ in range(iterations):
            labels = np.argmin(np.sum(np.square(points[:, None, :] - centres), 2), 1)
            is_member = (labels[:, None] == np.arange(clusters)).astype(float)
            counts = np.sum(is_member, 0)[:, None]
            centres = np.where(counts > 0, is_member.T @ points / np.maximum(counts, 1), centres)

    return run


def logistic_regression(size, iterations, features=32):
    rng = np.random.default_rng(5)
    x = rng.standard_normal((size, features))
    y = (x @ rng.standard_normal(features) + rng.standard_normal(size) > 0).astype(float)

    def run():
        weights = np.zeros(features)
        for i in range(iterations):
            errors = y - 1 / (1 + np.exp(-(x @ weights)))
            weights += 0.5 / size * (x.T @ errors)
            if (i + 1) % 20 == 0:
                scores = x @ weights
                np.mean(np.logaddexp(0, scores) - y * scores)

    return run


def monte_carlo_pi(size, iterations):
    def run():
        rng = np.random.default_rng(2026)
        hits = 0
        for _ in range(iterations):
            x, y = rng.random(size), rng.random(size)
            hits += np.count_nonzero(x * x + y * y < 1)

    return run


def hidden_layer(size, iterations):
    rng = np.random.default_rng(11)
    inputs = rng.uniform(0, 255, size)
    weights, biases = rng.standard_normal(size), rng.normal(0, 0.1, size)

    def run():
        for _ in range(iterations):
            normal = (inputs - np.mean(inputs)) / np.std(inputs)
            z = weights * normal + biases
            up, down = np.exp(z), np.exp(-z)
            outputs = (up - down) / (up + down)
        return outputs

    return run


def lstm(hidden, steps, batch=64, inputs=64):
    rng = np.random.default_rng(13)
    scale = (inputs + hidden)**-0.5
    weights, recurrent = rng.normal(0, scale, (inputs, 4 * hidden)), rng.normal(0, scale, (hidden, 4 * hidden))
    biases = rng.normal(0, 0.1, 4 * hidden)
    sequences = rng.standard_normal((steps, batch, inputs))

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    def run():
        output, memory = np.zeros((batch, hidden)), np.zeros((batch, hidden))
        for x in sequences:
            gates = x @ weights + output @ recurrent + biases
            put, forget, out, new = np.split(gates, 4, 1)
            memory = sigmoid(forget) * memory + sigmoid(put) * np.tanh(new)
            output = sigmoid(out) * np.tanh(memory)

    return run


def nbody(size, steps):
    rng = np.random.default_rng(17)
    position, velocity = rng.standard_normal((size, 3)), rng.standard_normal((size, 3))
    velocity -= np.mean(velocity, 0)
    mass = np.full(size, 20 / size)

    def accelerations():
        x, y, z = position.T
        dx, dy, dz = x - x[:, None], y - y[:, None], z - z[:, None]
        pull = mass * (dx * dx + dy * dy + dz * dz + 0.01)**-1.5
        return np.stack((np.sum(pull * dx, 1), np.sum(pull * dy, 1), np.sum(pull * dz, 1)), 1)

    def run():
        nonlocal position, velocity
        acceleration = accelerations()
        for _ in range(steps):
            velocity += acceleration * 0.005
            position += velocity * 0.01
            acceleration = accelerations()
            velocity += acceleration * 0.005

    return run


def mandelbrot(size, iterations):
    c_real, c_imaginary = np.linspace(-2, 0.5, size)[None, :], np.linspace(1.25, -1.25, size)[:, None]

    def run():
        real, imaginary = np.zeros((size, size)), np.zeros((size, size))
        times = np.zeros((size, size), np.int32)
        for _ in range(iterations):
            real_squared, imaginary_squared = real * real, imaginary * imaginary
            inside = real_squared + imaginary_squared <= 4
            times += inside
            imaginary = np.where(inside, 2 * real * imaginary + c_imaginary, imaginary)
            real = np.where(inside, real_squared - imaginary_squared + c_real, real)
        return times

    return run


if __name__ == "__main__":
    run = globals()[sys.argv[1]](*map(int, sys.argv[2:]))
    start = time.perf_counter()
    run()
    print(f"Elapsed Time: {1e3 * (time.perf_counter() - start):.3f} ms")
