"""The environments: the suites of Gymnasium, PettingZoo and OpenSpiel, and what they promise."""

import doctest
import inspect
import io
import random
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pyspiel
import pytest
import third_game
from gymnasium.utils.env_checker import check_env
from open_spiel.python.algorithms import generate_playthrough, mcts, outcome_sampling_mccfr
from pettingzoo.test import (
    api_test,
    parallel_api_test,
    parallel_seed_test,
    performance_benchmark,
    render_test,
    seed_test,
)

import foxtray.envs.spiel
import foxtray.sim
from foxtray import SHEETS, Game, IllegalAction, SeededDice
from foxtray.envs import env_id, register_envs, table_v0
from foxtray.envs.single import TableEnv
from foxtray.envs.vector import VectorTableEnv
from foxtray.errors import BadSetup, FoxtrayError, MalformedAction
from foxtray.observation import observation_of
from foxtray.sim import Batch, random_actions

PAGE = (Path(__file__).parent.parent / "docs" / "envs.md").read_text(encoding="utf-8")
TABLES = {"seats": 3, "seat": 1, "opponents": ["random", "greedy"], "reward": "win"}


@pytest.fixture(autouse=True)
def _quiet(capsys: pytest.CaptureFixture[str]) -> Iterator[None]:
    """The suites talk."""
    yield
    capsys.readouterr()


# --- Gymnasium ----------------------------------------------------------------------------------


@pytest.mark.parametrize("game", SHEETS)
@pytest.mark.parametrize("settings", [{}, TABLES], ids=["solo", "bots"])
def test_the_checker_of_gymnasium(game: str, settings: dict[str, Any]) -> None:
    """Any warning is an error here."""
    check_env(gymnasium.make(env_id(game), **settings).unwrapped)


def finish(
    env: Any, seed: int | None = None, **settings: Any
) -> tuple[list[float], dict[str, Any]]:
    """Play a random game; returns the rewards and the last info."""
    _, info = env.reset(seed=seed, **settings)
    env.action_space.seed(seed)
    rewards, over = [], False
    while not over:
        action = env.action_space.sample(info["action_mask"])
        observation, reward, over, truncated, info = env.step(action)
        assert (observation["action_mask"] == info["action_mask"]).all()
        assert not truncated
        rewards.append(reward)
    return rewards, info


def test_a_seed_is_the_seed_of_the_dice() -> None:
    env = TableEnv("clever")
    _, info = env.reset(seed=7)
    assert info["seed"] == 7
    assert env.game.faces == SeededDice(7).throw(0, 1, 0).faces
    _, info = env.reset()
    following = info["seed"]
    env.reset(seed=7)
    assert env.reset()[1]["seed"] == following


@pytest.mark.parametrize("settings", [{}, {"seats": 2}])
def test_rewards_add_up(settings: dict[str, Any]) -> None:
    rewards, info = finish(TableEnv("twice", **settings), 5)
    assert sum(rewards) == info["total"]
    final, info = finish(TableEnv("twice", reward="final", **settings), 5)
    assert final[:-1] == [0.0] * (len(final) - 1)
    assert final[-1] == info["total"] == sum(rewards)


def test_the_reward_for_a_win() -> None:
    env = TableEnv("clever", seats=2, opponents="random", reward="win")
    for seed in range(6):
        rewards, _ = finish(env, seed)
        outcome = env.game.outcome()
        assert outcome is not None
        assert sum(rewards) == rewards[-1] == (0 in outcome.winners) / len(outcome.winners)


def test_an_illegal_action_raises_and_changes_nothing() -> None:
    env = TableEnv("clever")
    env.reset(seed=1)
    before = env.game
    with pytest.raises(IllegalAction, match="you must take one"):
        env.step(0)
    with pytest.raises(MalformedAction, match="82 is not the id of an action"):
        env.step(82)
    assert env.game == before
    assert all(before.mask(0)[env.action_space.sample()] for _ in range(20))


def test_a_reset_to_a_position() -> None:
    game, dice, choose = Game.new("twice", 2), SeededDice(3), random.Random(3)
    while game.turn < 5 or not game.awaiting():
        where = game.address()
        if where:
            game = game.roll(dice.throw(*where)).game
        else:
            seat = game.awaiting()[0]
            game = game.play(seat, choose.choice(game.legal(seat))).game
    env = TableEnv("twice", seats=2, seat=game.awaiting()[0], opponents="random")
    _, info = env.reset(seed=1, options={"position": game.position()})
    assert env.game == game
    assert info["total"] == game.score(env.seating.seat).total
    rewards, last = finish(env, 1, options={"position": game.position()})
    assert sum(rewards) == last["total"] - info["total"]
    with pytest.raises(FoxtrayError, match="plays twice with 2 seats, not clever with 2"):
        env.reset(options={"position": Game.new("clever", 2).position()})
    with pytest.raises(FoxtrayError, match="there is nothing to decide from this position on"):
        env.reset(options={"position": env.game.position()})


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"seat": 1}, "seat must be 0 to 0, not 1"),
        ({"reward": "money"}, "unknown reward 'money'; choose one of points, final, win"),
        ({"reward": "win"}, "nobody wins a solo game"),
        ({"seats": 2, "opponents": ["greedy"] * 2}, "2 seats need 1 opponents"),
        ({"seats": 2, "opponents": "nobody"}, "unknown bot 'nobody'"),
        ({"seats": 9}, "9 seats are not possible"),
        ({"render_mode": "svg"}, "unknown render mode 'svg'"),
    ],
)
@pytest.mark.parametrize("kind", [TableEnv, lambda **rest: VectorTableEnv(2, **rest)])
def test_what_an_environment_refuses(kind: Any, wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(FoxtrayError, match=sentence):
        kind(game="clever", **wrong)


def test_house_rules_reach_the_game() -> None:
    env = TableEnv("clever", fox_floor=True, solo_fallback=True)
    assert env.game.options == {"fox_floor": True, "solo_fallback": True}


def test_pictures() -> None:
    env = gymnasium.make(env_id("twice"), render_mode="rgb_array")
    env.reset(seed=1)
    picture: Any = env.render()
    assert picture.dtype == np.uint8
    colours = {tuple(pixel) for pixel in picture.reshape(-1, 3).tolist()}
    for die in SHEETS["twice"].dice:
        strong = die.paint.light.strong
        assert tuple(bytes.fromhex(strong[1:])) in colours
    text = gymnasium.make(env_id("twice"), render_mode="ansi")
    text.reset(seed=1)
    assert "SILVER" in str(text.render())
    told = io.StringIO()
    with redirect_stdout(told):
        TableEnv("clever", render_mode="human").reset(seed=1)
    assert "YELLOW" in told.getvalue()


# --- many games at once -------------------------------------------------------------------------


def test_a_vector_plays_what_single_environments_play() -> None:
    settings: dict[str, Any] = {"seats": 2, "seat": 1, "opponents": "greedy"}
    singles = [TableEnv("clever", **settings) for _ in range(3)]
    vector = gymnasium.make_vec(env_id("clever"), num_envs=3, **settings)
    seen, info = vector.reset(seed=4)
    for i, env in enumerate(singles):
        one, _ = env.reset(seed=4 + i)
        assert (one["observation"] == seen["observation"][i]).all()
    rng, over = np.random.default_rng(0), np.zeros(3, bool)
    while not over.any():
        actions = random_actions(seen["action_mask"], rng)
        seen, rewards, over, truncated, info = vector.step(actions)
        assert seen in vector.observation_space
        assert not truncated.any()
        for i, env in enumerate(singles):
            one, reward, ended, _, told = env.step(int(actions[i]))
            assert (one["observation"] == seen["observation"][i]).all()
            assert (one["action_mask"] == seen["action_mask"][i]).all()
            assert (reward, ended, told["total"]) == (rewards[i], over[i], info["total"][i])


def run(mode: str, steps: int = 120) -> Iterator[tuple[Any, ...]]:
    env = gymnasium.make_vec(env_id("clever"), num_envs=16, autoreset_mode=mode)
    rng = np.random.default_rng(1)
    seen, _ = env.reset(seed=1)
    for _ in range(steps):
        seen, rewards, over, _, info = env.step(random_actions(seen["action_mask"], rng))
        yield env, seen, rewards, over, info


def test_reset_in_the_next_step() -> None:
    before, ended = np.zeros(16, bool), 0
    for _env, seen, rewards, over, _ in run("NextStep"):
        assert not rewards[before].any()
        assert not over[before].any()
        assert not seen["action_mask"][over].any()
        turn = seen["observation"][:, observation_of("clever", 1).slices["turn"]]
        assert (turn[before] == 0).all()
        before, ended = over, ended + over.sum()
    assert ended > 30


def test_reset_in_the_same_step() -> None:
    ended = 0
    earned = np.zeros(16)
    for _env, seen, rewards, over, info in run("SameStep"):
        earned += rewards
        assert seen["action_mask"].any(axis=1).all()
        if over.any():
            assert (info["_final_obs"] == over).all()
            for i in np.flatnonzero(over):
                final = info["final_obs"][i]
                total = final["observation"][observation_of("clever", 1).slices["0.total"]]
                assert total == info["final_info"]["total"][i] == earned[i]
                assert not final["action_mask"].any()
            assert (
                seen["observation"][over][:, observation_of("clever", 1).slices["turn"]] == 0
            ).all()
            earned[over] = 0
            ended += over.sum()
    assert ended > 30


def test_reset_by_hand() -> None:
    env, seen, _, over, _ = next(moment for moment in run("Disabled") if moment[3].any())
    with pytest.raises(BadSetup, match="games are over; reset them with options"):
        env.step(random_actions(seen["action_mask"], np.random.default_rng(0)))
    with pytest.raises(BadSetup, match="reset_mask must be 16 bools"):
        env.reset(options={"reset_mask": np.zeros(16, bool)})
    kept = seen["observation"].copy()
    seen, _ = env.reset(options={"reset_mask": over})
    assert (seen["observation"][~over] == kept[~over]).all()
    assert not (seen["observation"][over] == kept[over]).all(axis=1).any()
    env.step(random_actions(seen["action_mask"], np.random.default_rng(0)))


def test_seeds_and_positions_of_a_vector() -> None:
    env = VectorTableEnv(2, "clever", render_mode="ansi")
    env.reset(seed=[5, None])
    assert env.batch.seeds[0] == 5
    with pytest.raises(BadSetup, match="2 games need as many seeds, not 3"):
        env.reset(seed=[1, 2, 3])
    start = Batch("clever", 1, seeds=3).game(0)
    env.reset(seed=1, options={"position": start.position()})
    assert env.batch.game(0) == env.batch.game(1) == start
    shown = env.render()
    assert shown is not None
    assert "YELLOW" in shown[1]
    same = VectorTableEnv(2, "clever", copy=False)
    seen, _ = same.reset(seed=1)
    later, *_ = same.step(random_actions(seen["action_mask"], np.random.default_rng(0)))
    assert later["observation"] is seen["observation"]


# --- PettingZoo ---------------------------------------------------------------------------------

DICTIONARIES = {
    # PettingZoo has a list of its own environments that may observe a dictionary with a mask.
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or "
    "gymnasium.spaces.discrete",
}


@pytest.mark.parametrize("seats", [1, 2, 4])
def test_the_suite_of_pettingzoo(seats: int) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        api_test(table_v0.env("clever", seats), num_cycles=30)
    assert {str(warning.message) for warning in told} == DICTIONARIES
    seed_test(lambda: table_v0.env("twice", seats), num_cycles=20)


@pytest.mark.parametrize("seats", [1, 3])
def test_the_suite_of_pettingzoo_in_parallel(seats: int) -> None:
    parallel_api_test(table_v0.parallel_env("twice", seats), num_cycles=60)
    parallel_seed_test(lambda: table_v0.parallel_env("clever", seats), num_cycles=20)


def test_rendering_for_pettingzoo() -> None:
    render_test(lambda render_mode: table_v0.env("clever", 2, render_mode=render_mode))


def test_the_benchmark_of_pettingzoo(capsys: pytest.CaptureFixture[str]) -> None:
    performance_benchmark(table_v0.env("clever", 2))
    assert "turns per second" in capsys.readouterr().out


@pytest.mark.parametrize("reward", ["points", "final", "win"])
def test_agents_get_what_they_earn(reward: Any) -> None:
    env = table_v0.env("clever", 3, reward=reward)
    env.reset(seed=2)
    earned = dict.fromkeys(env.possible_agents, 0.0)
    choose = random.Random(1)
    for agent in env.agent_iter():
        seen, gained, over, _, _ = env.last()
        earned[agent] += gained
        game = env.unwrapped.game
        env.step(None if over else choose.choice(seen["action_mask"].nonzero()[0].tolist()))
        if not over:
            assert agent == f"player_{game.awaiting()[0]}"
    outcome = game.outcome()
    assert outcome is not None
    shares = [(seat in outcome.winners) / len(outcome.winners) for seat in range(3)]
    assert list(earned.values()) == (shares if reward == "win" else list(outcome.totals))


def test_agents_act_together() -> None:
    env = table_v0.parallel_env("clever", 3)
    seen, _ = env.reset(seed=3)
    earned = dict.fromkeys(env.agents, 0.0)
    together = steps = 0
    while env.agents:
        before = env.game
        actions = {
            agent: env.action_space(agent).sample(seen[agent]["action_mask"]) for agent in seen
        }
        with pytest.raises(BadSetup, match="no action for player_2"):
            env.step({agent: actions[agent] for agent in list(actions)[:2]})
        seen, rewards, *_ = env.step(actions)
        together += len(before.awaiting()) > 1
        steps += 1
        for agent, reward in rewards.items():
            earned[agent] += reward
    outcome = env.game.outcome()
    assert outcome is not None
    assert list(earned.values()) == list(outcome.totals)
    assert steps > together > 10


def test_what_pettingzoo_refuses() -> None:
    env = table_v0.env("clever", 2)
    env.reset(seed=1)
    with pytest.raises(IllegalAction):
        env.step(0)
    with pytest.raises(BadSetup, match=r"player_. has to decide"):
        env.step(None)
    with pytest.raises(BadSetup, match="unknown render mode"):
        table_v0.env("clever", render_mode="svg")
    over = Batch("clever", 1)
    while not over.terminated.all():
        over.step(random_actions(over.action_mask, np.random.default_rng(0)))
    with pytest.raises(BadSetup, match="nothing to decide from this position"):
        table_v0.env("clever", 1).reset(options={"position": over.game(0).position()})


# --- OpenSpiel ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["foxtray_clever", "foxtray_twice(players=2)", "foxtray_clever(players=4,reward=win)"]
)
def test_random_games_in_openspiel(name: str) -> None:

    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=1, serialize=True, verbose=False)


def test_a_playthrough_of_openspiel() -> None:

    text = generate_playthrough.playthrough("foxtray_clever", None, seed=3)
    assert 'GameType.short_name = "foxtray_clever"' in text
    assert "NumDistinctActions() = 82" in text
    assert "IsTerminal() = True" in text
    assert 'Apply action "w' in text


def test_equal_dice_in_openspiel() -> None:
    """In solo serving: two of four equal dice go to the platter, each pair equally likely."""

    state = pyspiel.load_game("foxtray_clever").new_initial_state()
    while not (state.is_chance_node() and state.table.turn == 1):
        state.apply_action(
            state.legal_actions()[0]
            if state.is_chance_node()
            else 0
            if 0 in state.legal_actions()
            else state.legal_actions()[-1]
        )
    for face in (0, 3, 3, 3, 3, 5):
        assert len(state.chance_outcomes()) == 6
        state.apply_action(face)
    chances: dict[tuple[int, ...], float] = {}
    for first, chance in state.chance_outcomes():
        then = state.child(first)
        assert first not in [die for die, _ in then.chance_outcomes()]
        for second, again in then.chance_outcomes():
            end = then.child(second)
            tray = tuple(i for i, place in enumerate(end.table.places) if place == "tray")
            chances[tray] = chances.get(tray, 0) + chance * again
    assert len(chances) == 6
    assert all(die == 0 for die, *_ in chances)
    assert list(chances.values()) == pytest.approx([1 / 6] * 6)


def test_algorithms_of_openspiel() -> None:
    game = pyspiel.load_game("foxtray_clever(players=2,reward=win)")
    solver = outcome_sampling_mccfr.OutcomeSamplingSolver(game)
    solver.iteration()
    rng = np.random.RandomState(0)
    state = game.new_initial_state()
    for face in (0, 1, 2, 3, 4, 5):
        state.apply_action(face)
    bot = mcts.MCTSBot(game, 2.0, 8, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
    assert bot.step(state) in state.legal_actions()
    assert "player" not in state.observation_string(0)
    assert state.observation_string(0) == state.table.position()
    assert len(state.observation_tensor(1)) == observation_of("clever", 2).size + 6


def test_what_openspiel_refuses() -> None:

    with pytest.raises(Exception, match="reward 'win' is not possible"):
        pyspiel.load_game("foxtray_clever(reward=win)")


# --- other games, missing packages, documents ---------------------------------------------------


def test_a_game_of_another_package_gets_environments(tmp_path: Path) -> None:
    name = env_id(third_game.GAME)
    with third_game.installed(tmp_path / "here"):
        register_envs()
        try:
            check_env(gymnasium.make(name).unwrapped)
            api_game = table_v0.parallel_env(third_game.GAME, 2)
            assert len(api_game.reset(seed=1)[0]) == 2
        finally:
            gymnasium.registry.pop(name)


@pytest.mark.parametrize(
    ("module", "package", "sentence"),
    [
        ("foxtray.envs", "gymnasium", "foxtray.envs needs gymnasium; to install: python -m pip"),
        ("foxtray.envs", "pettingzoo", "needs pettingzoo; to install: python -m pip install 'fox"),
        ("foxtray.envs.spiel", "pyspiel", "needs OpenSpiel; to install: python -m pip install op"),
    ],
)
def test_a_missing_package_gets_a_sentence(module: str, package: str, sentence: str) -> None:
    program = f"import sys; sys.modules[{package!r}] = None; import {module}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 1
    assert sentence in done.stderr.splitlines()[-1]


def first_column(text: str) -> set[str]:
    cells = re.findall(r"^\| (.*?) \|", text, re.MULTILINE)
    return {word for cell in cells for word in re.findall(r"`([\w.]+)", cell)}


def section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_every_argument_is_documented() -> None:
    arguments = set(inspect.signature(TableEnv).parameters) - {"game"}
    assert first_column(section("Gymnasium")) == arguments
    extra = set(inspect.signature(VectorTableEnv).parameters) - arguments - {"game", "num_envs"}
    assert all(f"`{name}" in section("Gymnasium") for name in extra)
    for name in set(inspect.signature(table_v0.Table).parameters) - {"game", "seats"}:
        assert f"`{name}`" in section("PettingZoo")
    for name in foxtray.envs.__all__:
        assert f"`{name}`" in PAGE


def test_every_member_of_a_batch_is_documented() -> None:
    public = {name for name in dir(Batch("clever", 1)) if not name.startswith("_")}
    assert first_column(section("A batch")) == public | {"Batch"}
    for name in foxtray.sim.__all__:
        assert name in PAGE


@pytest.mark.parametrize("game", SHEETS)
def test_every_slice_is_documented(game: str) -> None:
    own = {name.removeprefix("0.") for name in observation_of(game, 1).slices}
    documented = first_column(section("The observation"))
    assert own <= documented
    assert documented <= {
        name.rpartition(".")[2] for g in SHEETS for name in observation_of(g, 2).slices
    }


def test_what_the_page_shows_happens() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    runner = doctest.DocTestRunner()
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "envs.md", None, 0)
    runner.run(test)
    assert runner.summarize(verbose=False) == (0, len(test.examples))
    assert len(test.examples) > 30
