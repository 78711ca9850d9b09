"""A small engine in Python: takes the most points now. Needs nothing but Python.

foxtray bots add mine -- python3 greedy.py
"""

import json
import sys


def say(**message):
    print(json.dumps(message), flush=True)


def decide(position):
    """The action that gains most; the first of several."""
    gains = position["gains"]
    return position["legal"][gains.index(max(gains))]


def opinions(position):
    pairs = zip(position["gains"], position["legal"], strict=True)
    return [{"action": action, "points": gain} for gain, action in sorted(pairs, reverse=True)]


position = {}
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "hello":
        say(type="hello", protocol=1, name="Greedy in Python", wants=["gains"], opinions=True)
    elif kind == "position":
        position = message
    elif kind == "go":
        answer = {"type": "bestaction", "id": message["id"], "action": decide(position)}
        if message["opinions"]:
            answer["opinions"] = opinions(position)
        say(**answer)
    elif kind == "quit":
        break
    # newgame: nothing to forget; stop: every question is answered before the next line is read
