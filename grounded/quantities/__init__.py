"""Numbers, units, scales and dates as documents write them, read exactly (Decimal), with their spans.

`quantities(text)` and `periods(text)` read; `compare(claimed, found)` says whether two quantities agree and, if not,
how they differ (scale, sign, unit, digits). Nothing is guessed silently: what another locale would read differently
carries its other readings in `others`.
"""

from grounded.quantities.compare import Comparison, compare
from grounded.quantities.numerals import decimal_mark
from grounded.quantities.periods import Period, periods
from grounded.quantities.scan import Quantity, quantities
from grounded.quantities.units import Measure, hint, measure

__all__ = [
    "Comparison",
    "Measure",
    "Period",
    "Quantity",
    "compare",
    "decimal_mark",
    "hint",
    "measure",
    "periods",
    "quantities",
]
