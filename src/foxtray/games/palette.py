"""The paints that games share; a game may define its own."""

from foxtray.games.model import Paint, Tones

WHITE = Paint(
    light=Tones(strong="#ffffff", on="#2a2d33", soft="#ffffff", ink="#3c4047"),
    dark=Tones(strong="#f3f2ee", on="#23262b", soft="#2a2e36", ink="#e5e3dd"),
    terminal=(255, 16),
)
SILVER = Paint(
    light=Tones(strong="#a3afba", on="#1d242b", soft="#d5dce2", ink="#3f4a54"),
    dark=Tones(strong="#c2ccd5", on="#14181c", soft="#323941", ink="#cbd4dc"),
    terminal=(248, 16),
)
YELLOW = Paint(
    light=Tones(strong="#f2bd1d", on="#33270a", soft="#fdf0c4", ink="#6a4d00"),
    dark=Tones(strong="#eebb2c", on="#2b2105", soft="#35310a", ink="#f5d77a"),
    terminal=(220, 16),
)
BLUE = Paint(
    light=Tones(strong="#2b6fbb", on="#ffffff", soft="#d2e4f8", ink="#1b4a82"),
    dark=Tones(strong="#68a9f0", on="#071a30", soft="#152840", ink="#a9cdf7"),
    terminal=(26, 231),
)
GREEN = Paint(
    light=Tones(strong="#236f38", on="#ffffff", soft="#cbe8d6", ink="#1f5a2e"),
    dark=Tones(strong="#35804a", on="#ffffff", soft="#0d2a1a", ink="#a5dcb2"),
    terminal=(28, 231),
)
ORANGE = Paint(
    light=Tones(strong="#ee8434", on="#331500", soft="#ffe9da", ink="#87370b"),
    dark=Tones(strong="#f08c48", on="#2a1002", soft="#552f1b", ink="#f7bd98"),
    terminal=(208, 16),
)
PURPLE = Paint(
    light=Tones(strong="#5b2d88", on="#ffffff", soft="#e0d0f0", ink="#512b77"),
    dark=Tones(strong="#8450b8", on="#ffffff", soft="#36284d", ink="#d8bff0"),
    terminal=(97, 231),
)
PINK = Paint(
    light=Tones(strong="#b7306f", on="#ffffff", soft="#fde1ea", ink="#86214f"),
    dark=Tones(strong="#e0629a", on="#1c030b", soft="#40192c", ink="#f6b9d5"),
    terminal=(211, 16),
)
