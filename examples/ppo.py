"""Teaches a policy to play alone, from nothing: PPO with masked actions on the vector environment.

    pip install 'foxtray[envs,examples]'
    python examples/ppo.py --curve curve.svg

It passes 180 points in Clever within two minutes of CPU time, and 200 within four. One file in the
manner of CleanRL: the network, the training loop, the final exam on games that it has not seen, and
the curve.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import gymnasium
import numpy as np
import torch
from torch import nn

import foxtray.envs
from foxtray.observation import Observation, observation_of
from foxtray.sim.lockstep import Batch

GAMES = 1024
"""The number of games played side by side."""
STEPS = 32
"""Decisions per game between two updates of the network."""
EPOCHS, MINIBATCH = 3, 4096
LEARNING_RATE = 1e-3
CLIP = 0.2
LAMBDA = 0.95
"""How far advantages look ahead; rewards are not discounted, because a game always ends."""
ENTROPY, VALUE = 0.01, 0.5
POINTS = 20.0
"""Rewards are divided by this, so that the network predicts small numbers."""
EXAM = 4000

ONE_HOT = ("filled", "foxes", "reroll", "return", "extra", "stage", "faces", "places", "turn",
           "roll")  # fmt: skip


class Policy(nn.Module):
    """What to play, and how many points are still to come."""

    def __init__(self, shape: Observation, actions: int, width: int) -> None:
        super().__init__()
        high = torch.tensor(shape.high, dtype=torch.float32)
        self.register_buffer("scale", 1 / high.clamp(min=1))
        # Every value that a number of these parts can have gets an input of its own.
        columns, values = [], []
        for name, part in shape.slices.items():
            if name.rpartition(".")[2] in ONE_HOT:
                for column in range(part.start, part.stop):
                    for value in range(shape.low[column], shape.high[column] + 1):
                        columns.append(column)
                        values.append(value)
        self.register_buffer("columns", torch.tensor(columns))
        self.register_buffer("values", torch.tensor(values, dtype=torch.float32))
        size = shape.size + len(columns) + actions
        self.body = nn.Sequential(layer(size, width), nn.ReLU(), layer(width, width), nn.ReLU())
        self.choice, self.worth = layer(width, actions, 0.01), layer(width, 1, 1.0)

    def forward(self, seen: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The logits of the legal actions, and the value."""
        seen = seen.float()
        hot = (seen[:, self.columns] == self.values).float()
        body = self.body(torch.cat([seen * self.scale, hot, mask.float()], 1))
        return self.choice(body).masked_fill(mask == 0, -1e9), self.worth(body)[:, 0]


def layer(inputs: int, outputs: int, gain: float = 2**0.5) -> nn.Linear:
    made = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(made.weight, gain)
    nn.init.zeros_(made.bias)
    return made


def drawn(logits: torch.Tensor) -> torch.Tensor:
    """A random action by its probability (Gumbel's trick)."""
    return (logits - torch.log(-torch.log(torch.rand_like(logits)))).argmax(1)


def train(game: str, decisions: int, width: int, seed: int) -> tuple[Policy, list[list[float]]]:
    """Train a policy; also returns decisions, CPU minutes and mean points along the way."""
    torch.manual_seed(seed)
    env = gymnasium.make_vec(foxtray.envs.env_id(game), num_envs=GAMES, autoreset_mode="SameStep")
    policy = Policy(observation_of(game, 1), int(env.single_action_space.n), width)
    optimizer = torch.optim.Adam(policy.parameters(), LEARNING_RATE, eps=1e-5)
    rounds = decisions // (GAMES * STEPS)
    began = time.process_time()
    curve: list[list[float]] = []
    found, _ = env.reset(seed=seed)
    for round_ in range(rounds):
        left = 1 - round_ / rounds
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * left
        seen, masks, actions, chances, values, rewards, overs, totals = ([] for _ in range(8))
        for _ in range(STEPS):
            x = torch.from_numpy(found["observation"])
            mask = torch.from_numpy(found["action_mask"])
            with torch.no_grad():
                logits, value = policy(x, mask)
            action = drawn(logits)
            chance = logits.log_softmax(1).gather(1, action[:, None])[:, 0]
            found, reward, over, _, info = env.step(action.numpy())
            if over.any():
                totals.extend(info["final_info"]["total"][over].tolist())
            for kept, one in zip(
                (seen, masks, actions, chances, values, rewards, overs),
                (x, mask, action, chance, value, torch.from_numpy(reward / POINTS).float(),
                 torch.from_numpy(over).float()),
                strict=True,
            ):  # fmt: skip
                kept.append(one)
        with torch.no_grad():
            ahead = policy(
                torch.from_numpy(found["observation"]), torch.from_numpy(found["action_mask"])
            )[1]
        # Generalised advantage estimation, backwards through the decisions.
        advantage = torch.zeros(GAMES)
        advantages = []
        for t in reversed(range(STEPS)):
            alive = 1 - overs[t]
            advantage = rewards[t] + alive * ahead - values[t] + LAMBDA * alive * advantage
            advantages.append(advantage)
            ahead = values[t]
        gain = torch.cat(advantages[::-1])
        x, mask, action, chance = (torch.cat(each) for each in (seen, masks, actions, chances))
        target = gain + torch.cat(values)
        gain = (gain - gain.mean()) / gain.std()
        for _ in range(EPOCHS):
            for rows in torch.randperm(len(x)).split(MINIBATCH):
                logits, value = policy(x[rows], mask[rows])
                logs = logits.log_softmax(1)
                ratio = (logs.gather(1, action[rows][:, None])[:, 0] - chance[rows]).exp()
                limited = ratio.clamp(1 - CLIP, 1 + CLIP)
                better = torch.min(ratio * gain[rows], limited * gain[rows]).mean()
                entropy = -(logs.exp() * logs).sum(1).mean()
                error = (value - target[rows]).square().mean()
                loss = VALUE * error - better - ENTROPY * left * entropy
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
                optimizer.step()
        minutes = (time.process_time() - began) / 60
        curve.append([(round_ + 1) * GAMES * STEPS, minutes, float(np.mean(totals))])
        if round_ % 10 == 9 or round_ == rounds - 1:
            recent = np.mean([points for *_, points in curve[-10:]])
            told = (
                f"{curve[-1][0]:>12,} decisions  {minutes:6.1f} CPU minutes  {recent:6.1f} points"
            )
            print(told, flush=True)
    env.close()
    return policy, curve


def examine(policy: Policy, game: str, games: int, seed: int) -> np.ndarray:
    """The totals of games in which the policy always plays its first choice."""
    batch = Batch(game, games, seeds=seed)
    while not batch.terminated.all():
        mask = torch.from_numpy(batch.legal_action_mask.copy())
        with torch.no_grad():
            logits, _ = policy(torch.from_numpy(batch.observe()), mask)
        batch.step(logits.argmax(1).numpy())
    return batch.totals[:, 0].copy()


def svg(curve: list[list[float]], title: str) -> str:
    """The curve as a picture: mean points by CPU minutes."""
    width, height, margin = 640, 320, 44
    last = curve[-1][1]
    low, top = 60, 20 * (1 + int(max(points for *_, points in curve)) // 20)

    def place(minutes: float, points: float) -> str:
        x = margin + minutes / last * (width - 2 * margin)
        y = height - margin - (points - low) / (top - low) * (height - 2 * margin)
        return f"{x:.1f},{y:.1f}"

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="{width / 2}" y="20" text-anchor="middle">{title}</text>',
    ]
    for points in range(low, top + 1, 20):
        (_, y), (right, _) = (place(at, points).split(",") for at in (0, last))
        lines.append(
            f'<line x1="{margin}" x2="{right}" y1="{y}" y2="{y}" stroke="#dddddd"/>'
            f'<text x="{margin - 6}" y="{float(y) + 4:.1f}" text-anchor="end">{points}</text>'
        )
    for minutes in range(0, int(last) + 1, max(1, round(last / 8))):
        x = place(minutes, low).split(",")[0]
        lines.append(f'<text x="{x}" y="{height - 24}" text-anchor="middle">{minutes}</text>')
    path = " ".join(place(minutes, points) for _, minutes, points in curve)
    lines.append(f'<polyline points="{path}" fill="none" stroke="#1f5fa8" stroke-width="2"/>')
    lines.append(f'<text x="{width / 2}" y="{height - 6}" text-anchor="middle">CPU minutes</text>')
    return "\n".join([*lines, "</svg>", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="clever", help="the game to learn (default: clever)")
    parser.add_argument("--decisions", type=int, default=3_276_800, help="how long to train")
    parser.add_argument("--width", type=int, default=256, help="units in a hidden layer")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2, help="threads of PyTorch")
    parser.add_argument("--curve", type=Path, help="write the learning curve to this SVG file")
    parser.add_argument("--out", type=Path, help="write the weights to this file")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    policy, curve = train(args.game, args.decisions, args.width, args.seed)
    totals = examine(policy, args.game, EXAM, 10**9)
    mean, error = totals.mean(), totals.std() / len(totals) ** 0.5
    print(f"exam: {mean:.1f} ± {error:.1f} points in {len(totals):,} new games")
    if args.curve:
        title = f"{args.game}, alone: mean points while learning; exam {mean:.1f}"
        args.curve.write_text(svg(curve, title), encoding="utf-8")
    if args.out:
        torch.save(policy.state_dict(), args.out)


if __name__ == "__main__":
    main()
