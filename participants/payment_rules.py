"""What people get for a session, as ``lab.toml`` says it."""

from typing import Final

from pydantic import BaseModel, ConfigDict, Field

PAYMENT_TEMPLATE: Final = """\
# What people get for a session. participants payments lists it, receipts show it.
[payment]
# {currency}
currency = "EUR"
# {per_session}
per_session = 0.0
# {per_hour}
per_hour = 0.0
# {round_up_min}
round_up_min = 15
"""


class PaymentRules(BaseModel):
    """The table ``[payment]`` of ``lab.toml``."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    currency: str = Field(
        default="EUR", pattern=r"^[A-Z]{3}$", description="The currency, as ISO 4217 writes it."
    )
    per_session: float = Field(
        default=0.0, ge=0, le=10000, strict=False,
        description="For a session that came to its end.",
    )  # fmt: skip
    per_hour: float = Field(
        default=0.0, ge=0, le=10000, strict=False,
        description="For the time in sessions, also in those that people stopped early.",
    )  # fmt: skip
    round_up_min: int = Field(
        default=15, ge=1, le=120, description="Time is rounded up to so many minutes."
    )

    def cents(self, minutes: float | None, *, complete: bool) -> int:
        """Return what somebody earned in a session so far, in hundredths of the currency.

        Parameters
        ----------
        minutes
            The time in the session; None where nobody knows it.
        complete
            Whether the session came to its end.
        """
        parts = -(-(minutes or 0.0) // self.round_up_min)
        by_time = self.per_hour * parts * self.round_up_min / 60
        return round(100 * (by_time + self.per_session * complete))


def payment_template() -> str:
    """Return the part of a new ``lab.toml`` that says what people get."""
    told = {name: field.description for name, field in PaymentRules.model_fields.items()}
    return PAYMENT_TEMPLATE.format(**told)
