"""Prints how fast the rules are, beside a fixed loop that tells how fast the machine is."""

from time import process_time


def calibrate(steps: int = 2_000_000) -> float:
    """Million steps per CPU second of a plain loop that never changes."""
    began = process_time()
    total = 0
    for step in range(steps):
        total = (total * 31 + step) & 0xFFFF
    return steps / (process_time() - began) / 1e6


if __name__ == "__main__":
    print(f"calibration loop: {calibrate():.1f} million steps per CPU second")
