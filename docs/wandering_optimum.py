"""The picture at the top of README: an optimum that wanders, what TV-GP-UCB believes, and what it forgets.

    python docs/wandering_optimum.py

Writes docs/wandering_optimum.gif. Needs matplotlib and Pillow.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

from tvgp import kernels, policies

TARGET = Path(__file__).with_suffix(".gif")
ROUNDS, EPSILON, NOISE = 64, 0.08, 0.05
COLOURS, MILLISECONDS = 32, 120
BLUE, RED, GREY = "#0072b2", "#d55e00", "#999999"

arms = np.linspace(0, 1, 101)
centres = 0.5 + 0.32 * np.sin(np.arange(ROUNDS + 1) / 12) + 0.08 * np.sin(np.arange(ROUNDS + 1) / 5)
functions = np.exp(-(((arms - centres[:, None]) / 0.14) ** 2))


def play():
    """Arms, rewards, and the belief before each choice: mean and two standard deviations."""
    kernel = kernels.make("se", variance=0.5, length_scale=0.12)
    policy = policies.make(
        "tv_gp_ucb",
        arms=arms[:, None],
        kernel=kernel,
        noise_variance=NOISE**2,
        epsilon=EPSILON,
        width=1.5,
    )
    rng = np.random.default_rng(3)
    chosen, rewards, beliefs = [], [], []
    for t in range(1, ROUNDS + 1):
        beliefs.append(policy.posterior(t))
        chosen.append(policy.choose(t, rng))
        rewards.append(functions[t, chosen[-1]] + NOISE * rng.standard_normal())
        policy.observe(t, chosen[-1], reward=rewards[-1])
    return np.array(chosen), np.array(rewards), beliefs


def main():
    chosen, rewards, beliefs = play()
    figure, axes = plt.subplots(figsize=(6.4, 2.9), dpi=100, layout="constrained")

    def draw(index):
        axes.clear()
        t, (mean, std) = index + 1, beliefs[index]
        axes.fill_between(arms, mean - 2 * std, mean + 2 * std, color=BLUE, alpha=0.15, lw=0)
        axes.plot(arms, mean, color=BLUE, lw=1.5, label="what the method believes")
        axes.plot(arms, functions[t], color="black", lw=1.5, label="the rewards now")
        weights = (1 - EPSILON) ** ((t - np.arange(1, t)) / 2)  # of an observation that old
        axes.scatter(
            arms[chosen[:index]], rewards[:index], s=18, color=BLUE, alpha=weights if index else None, lw=0
        )
        axes.scatter(arms[chosen[index]], rewards[index], s=60, color=RED, zorder=3, label="where it plays")
        axes.scatter(centres[t], 1.0, marker="v", s=40, color="black", zorder=3)
        axes.set(xlim=(0, 1), ylim=(-1.2, 1.9), xticks=[], yticks=[], xlabel="place", ylabel="reward")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(loc="lower center", ncols=3, frameon=False, fontsize=9)
        axes.set_title(
            "Old observations fade: the best place moves, and must be found again", loc="left", fontsize=11
        )

    frames = []
    for index in range(ROUNDS):
        draw(index)
        figure.canvas.draw()
        picture = Image.fromarray(np.asarray(figure.canvas.buffer_rgba())).convert("RGB")
        frames.append(picture.quantize(COLOURS, dither=Image.Dither.NONE))
    frames[0].save(
        TARGET, save_all=True, append_images=frames[1:], duration=MILLISECONDS, loop=0, optimize=True
    )
    print(f"{TARGET}: {TARGET.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
