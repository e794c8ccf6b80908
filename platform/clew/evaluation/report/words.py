"""How numbers are written in the report and in the record."""

NONE = "–"
MINUS = "−"


def share(value: float | None) -> str:
    """Write a figure from 0 to 1 with three digits."""
    return NONE if value is None else f"{value:.3f}"


def _plain(value: float) -> str:
    text = f"{value:.3f}"
    return "0.000" if float(text) == 0 else text.replace("-", MINUS)


def signed(value: float) -> str:
    """Write a difference with its sign."""
    text = f"{abs(value):.3f}"
    if float(text) == 0:
        return text
    return f"{MINUS if value < 0 else '+'}{text}"


def interval(low: float | None, high: float | None) -> str:
    """Write the bounds of a figure; "" where it has none."""
    return "" if low is None or high is None else f"[{_plain(low)}, {_plain(high)}]"


def signed_interval(low: float, high: float) -> str:
    """Write the bounds of a difference."""
    return f"[{signed(low)}, {signed(high)}]"


def p_value(p: float) -> str:
    """Write a p-value: 0.012, or < 0.001."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def p_sentence(p: float) -> str:
    """Write 'p = 0.012' or 'p < 0.001', in one piece: its spaces do not break."""
    return (f"p {p_value(p)}" if p < 0.001 else f"p = {p_value(p)}").replace(" ", "\u00a0")


def duration(seconds: float | None) -> str:
    """Write seconds as 8.4 ms, 120 ms, 1.5 s, 12 min."""
    if seconds is None:
        return NONE
    if seconds >= 600:
        return f"{seconds / 60:.0f} min"
    if seconds >= 1:
        return f"{seconds:.1f} s"
    milliseconds = seconds * 1000
    return f"{milliseconds:.1f} ms" if milliseconds < 9.95 else f"{milliseconds:.0f} ms"


def signed_duration(seconds: float) -> str:
    """Write a difference of seconds."""
    text = duration(abs(seconds))
    sign = "" if text == duration(0.0) else MINUS if seconds < 0 else "+"
    return f"{sign}{text}"


def milliseconds(seconds: float) -> str:
    """Write seconds as milliseconds, without the unit."""
    value = seconds * 1000
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def mib(value: float | None) -> str:
    """Write mebibytes."""
    return NONE if value is None else f"{value:,.0f} MiB"


def count(value: float) -> str:
    """Write a count, or the mean of counts with one digit."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def plural(number: int, one: str, many: str | None = None) -> str:
    """Write '1 question', '2 questions'."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
