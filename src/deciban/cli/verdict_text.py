"""A verdict in the words of the command line, and as an exit code.

>>> from deciban.committee.verdict import Verdict
>>> spam = Verdict("spam", 0.99931, 31.6, {"spam": 0.99931, "ham": 0.00069}, unsure=False)
>>> verdict_line(spam)
'spam  31.6 dB  p=0.9993'
>>> verdict_line(spam.replaced(unsure=True))
'unsure  31.6 dB  p=0.9993  rather spam'

Where the allow list decided, the verdict tells so, and what would have been said:

>>> allowed = Verdict("ham", 0.00069, -31.6, spam.probabilities, unsure=False, otherwise=spam)
>>> verdict_line(allowed)
'ham  allowed sender; otherwise spam  31.6 dB  p=0.9993'
"""

from __future__ import annotations

from deciban.cli.paint import GREEN, RED, YELLOW, painted
from deciban.cli.terminal import harmless
from deciban.decibans import SPAM, probability_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deciban.filter import Verdict

# bogofilter's, so that what is written for it (procmail recipes, mutt macros) goes on working.
IS_SPAM, IS_GOOD, IS_UNSURE = 0, 1, 2


def exit_code(verdict: Verdict) -> int:
    """What the program that classified one message returns."""
    if verdict.unsure:
        return IS_UNSURE
    return IS_SPAM if verdict.label == SPAM else IS_GOOD


def verdict_line(verdict: Verdict, width: int = 0) -> str:
    """A verdict on one line, the decision padded to a width."""
    line = f"{harmless(verdict.decision):{width}}"
    if verdict.probability is None:
        return line + "  nothing to choose between yet: teach at least two labels"
    if verdict.otherwise is not None:
        return f"{line}  {allowed_note(verdict.otherwise)}"
    rather = f"  rather {harmless(verdict.label)}" if verdict.unsure else ""
    return f"{line}  {verdict.decibans:.1f} dB  p={probability_text(verdict.probability)}{rather}"


def colored(line: str, verdict: Verdict) -> str:
    r"""A line that begins with the decision, with that word red for spam, yellow for unsure, else green.

    >>> from deciban.committee.verdict import Verdict
    >>> spam = Verdict("spam", 0.99931, 31.6, {"spam": 0.99931, "ham": 0.00069}, unsure=False)
    >>> colored("spam  31.6 dB", spam)
    '\x1b[31mspam\x1b[0m  31.6 dB'
    """
    word = harmless(verdict.decision)
    color = {IS_SPAM: RED, IS_GOOD: GREEN, IS_UNSURE: YELLOW}[exit_code(verdict)]
    return painted(word, color) + line.removeprefix(word)


def allowed_note(otherwise: Verdict) -> str:
    """Why it is good mail all the same, and what the filter would have said."""
    return f"allowed sender; otherwise {verdict_line(otherwise)}"
