"""Learning environments for Gymnasium, PettingZoo and OpenSpiel; docs/envs.md explains them.

Importing this package registers every installed game with Gymnasium, as `foxtray/NAME-v0`. It needs
the extra `envs`; `foxtray.envs.spiel` needs OpenSpiel too.
"""

from foxtray.envs.registration import env_id, register_envs

__all__ = ["env_id", "register_envs"]

register_envs()
