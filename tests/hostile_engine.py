"""An engine that misbehaves as its first argument says; otherwise it takes the first legal action.

With a second argument it writes its process id, and those of its children, to that file.
"""

import json
import os
import signal
import subprocess
import sys
import time

MODE = sys.argv[1]
PIDS = sys.argv[2] if len(sys.argv) > 2 else os.devnull


def note(pid: int) -> None:
    with open(PIDS, "a") as file:
        file.write(f"{pid}\n")


def raw(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def say(**message: object) -> None:
    raw(json.dumps(message).encode() + b"\n")


def sleep_forever() -> None:
    while True:
        time.sleep(60)


def ignore_everything() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def hello() -> None:
    if MODE == "silent":
        sleep_forever()
    if MODE == "mute":
        sys.exit("no licence found")
    if MODE == "other protocol":
        say(type="hello", protocol=2, name="From the future")
    elif MODE == "nameless":
        say(type="hello", protocol=1)
    elif MODE == "no games":
        say(type="hello", protocol=1, name="Chess", games=["chess"])
    else:
        say(type="hello", protocol=1, name="Hostile \x1b[31m", opinions=MODE.startswith("opinion"))


def answer(number: int, action: str) -> None:
    say(type="bestaction", id=number, action=action)


OPINIONS = {
    "opinion nan": '[{"action": %s, "points": NaN}]',
    "opinion chance": '[{"action": %s, "points": 1, "win_chance": 2}]',
    "opinion illegal": '[{"action": "nothing", "points": 1}]',
    "opinion error": '[{"action": %s, "points": 1, "error": -1}]',
    "opinion text": '"the best"',
}


def go(number: int, legal: list[str]) -> None:
    if MODE == "hang":
        ignore_everything()
        sleep_forever()
    elif MODE == "spin":
        ignore_everything()
        while True:
            pass
    elif MODE == "flood":
        while True:
            raw(b'{"type":"info","text":"still thinking"}\n')
    elif MODE == "endless line":
        while True:
            raw(b"x" * 65536)
    elif MODE == "garbage":
        raw(b"\xff\xfe\x00 what?\n\n[1, 2]\n" + b"[" * 5000 + b'\n{"type": 3}\n{"type":"move"}\n')
        answer(number, legal[0])
    elif MODE == "only garbage":
        raw(b"what?\n" * 3000)
        sleep_forever()
    elif MODE == "die":
        sys.exit("Segmentation fault, as it were")
    elif MODE == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif MODE == "close":
        os.close(1)
        sleep_forever()
    elif MODE == "illegal":
        answer(number, "reroll" if "reroll" not in legal else "pass")
    elif MODE == "nonsense":
        answer(number, "\x1b[2Je2-e4")
    elif MODE == "not text":
        say(type="bestaction", id=number, action=7)
    elif MODE == "late":
        if number > 1:
            answer(number - 1, "pass")
            time.sleep(0.01)
        answer(number, legal[0])
    elif MODE == "wrong id":
        answer(number + 5, legal[0])
    elif MODE == "error":
        say(type="error", id=number, reason="I \x1b[31m do not \ud800 know")
    elif MODE in OPINIONS:
        told = OPINIONS[MODE].replace("%s", json.dumps(legal[0]))
        raw(
            f'{{"type":"bestaction","id":{number},"action":"{legal[0]}","opinions":{told}}}\n'.encode()
        )
    elif MODE == "talkative":
        sys.stderr.write("thinking...\n" * 20_000)
        answer(number, legal[0])
    elif MODE != "at stop":
        answer(number, legal[0])


def main() -> None:
    note(os.getpid())
    if MODE == "children":
        for own_session in (False, True):
            child = subprocess.Popen(["sleep", "600"], start_new_session=own_session)
            note(child.pid)
    legal: list[str] = []
    number = 0
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            hello()
        elif kind == "position":
            legal = message["legal"]
        elif kind == "go":
            number = message["id"]
            go(number, legal)
        elif kind == "stop" and MODE == "at stop":
            answer(number, legal[-1])
        elif kind == "quit" and MODE != "stays":
            return
    while MODE == "stays":
        ignore_everything()
        time.sleep(60)


if __name__ == "__main__":
    main()
