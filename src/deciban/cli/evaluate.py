"""``deciban evaluate``: measure the filter on labelled mail, beside others if they are installed."""

from __future__ import annotations

import sys
from contextlib import contextmanager

from deciban.cli.numbers import counted, refused, share, whole_number
from deciban.cli.parser import Parser
from deciban.cli.progress_line import is_piped
from deciban.cli.terminal import harmless, say
from deciban.errors import WrongUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Sequence

    from deciban.evaluate import Assessment, KeptPromise, StreamStep, Subject, Trial
    from deciban.evaluate.corrections import Corrections
    from deciban.evaluate.mistakes import MistakeKeeper

EXAMPLES = (
    ("deciban evaluate corpus/index.tsv", "classify each message, then learn it, in the order of the index"),
    ("deciban evaluate --seed 1 corpus/index.tsv", "in an order that the number decides"),
    ("deciban evaluate --feedback delay=1000 corpus/index.tsv", "each label is told 1,000 messages later"),
    ("deciban evaluate --feedback corrections corpus/index.tsv", "only wrong and unsure verdicts are told"),
    ("deciban evaluate --half --seed 1 corpus/index.tsv", "learn one half, classify the other"),
    ("deciban evaluate --folds 10 corpus/index.tsv", "cross-validation"),
    ("deciban evaluate --report report.html corpus/index.tsv", "a page with pictures and the worst mistakes"),
    ("deciban evaluate --peer bogofilter corpus/index.tsv", "the same for bogofilter, in one table"),
    (
        "deciban evaluate --peer bogo='bogofilter -C -d {home} -T -I {path}'"
        " --peer bogo:spam='bogofilter -C -d {home} -s -I {path}'"
        " --peer bogo:ham='bogofilter -C -d {home} -n -I {path}' corpus/index.tsv",
        "the same for any command",
    ),
)
PEER_NAMES = ("bogofilter", "spamassassin", "vowpal-wabbit")
INTERRUPTED = 130
CORRECTIONS = "corrections"


def define(parser: Parser) -> None:
    """Add the arguments of ``deciban evaluate``."""
    parser.add_argument(
        "index", metavar="INDEX", help="a file of lines: label, tab, path of a message beside the index"
    )
    parser.add_argument(
        "--seed", type=whole_number, metavar="N", help="shuffle by this number (default: the index's order)"
    )
    parser.add_argument(
        "--feedback",
        type=feedback,
        metavar="WHEN",
        help="when labels are told: immediate (default), delay=N messages later, first=N messages only, "
        "share=S of the recipients only; corrections: where the verdict was wrong or unsure, and of one in "
        "ten other good mails later (corrections=S: of this share of them)",
    )
    parser.add_argument(
        "--sent",
        type=share,
        metavar="SHARE",
        help="teach this share of the good mail first, as mail that the user sent",
    )
    parser.add_argument("--half", action="store_true", help="learn one half and classify the other")
    parser.add_argument("--folds", type=whole_number, metavar="K", help="cross-validate in so many parts")
    parser.add_argument(
        "--peer",
        action="append",
        default=[],
        metavar="NAME[=COMMAND]",
        help=f"also measure {', '.join(PEER_NAMES)}, or any command; may be given several times",
    )
    parser.add_argument(
        "--promise",
        action="append",
        type=share,
        metavar="SHARE",
        help="follow this promise over the stream (default: 0.01 and 0.001); may be given several times",
    )
    parser.add_argument(
        "--rounds",
        type=whole_number,
        default=1000,
        metavar="N",
        help="resamples for the 95%% limits (default: 1000), 0 for none",
    )
    parser.add_argument("--report", metavar="FILE", help="write a page (HTML) with pictures and mistakes")
    parser.add_argument("--figures", metavar="FOLDER", help="write the pictures as PNG and SVG")
    parser.add_argument("--json", action="store_true", help="one JSON object by name")


def run(options: Namespace) -> int:
    """Try each subject on the same messages in the same order, and tell how good they are."""
    if options.report or options.figures:
        from deciban.evaluate.report import require_matplotlib

        require_matplotlib()  # before the work, not after it
    subjects = chosen_subjects(options.peer)
    plan = Plan(options)
    assessments: list[Assessment] = []
    interrupted = False
    for name, make in subjects.items():
        if not interrupted:
            assessment = plan.assess(name, make)
            assessments.append(assessment)
            interrupted = len(assessment.trial.messages) < plan.asked
    if not interrupted:
        _tell(assessments, options)
        return 0
    *complete, last = assessments
    done = f"{len(last.trial.messages):,} of {counted(plan.asked, 'message')}"
    name = harmless(last.name)
    if complete:
        # Beside those who met every message it would look better or worse than it is.
        print(f"deciban: interrupted; {name} met only {done} and is left out", file=sys.stderr)
    else:
        print(f"deciban: interrupted; {name} is judged by {done}", file=sys.stderr)
    _tell(complete or [last], options)
    return INTERRUPTED


def _tell(assessments: Sequence[Assessment], options: Namespace) -> None:
    from deciban.evaluate.summary import summary

    with _harmless_warnings():
        _draw(assessments, options)
    if options.json:
        import json

        print(json.dumps({one.name: one.record() for one in assessments}))
    else:
        for line in summary(assessments):
            say(harmless(line))


@contextmanager
def _harmless_warnings() -> Iterator[None]:
    """Tell what matplotlib warns about, each once: it quotes labels, which are anybody's."""
    import warnings

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for text in dict.fromkeys(" ".join(str(warning.message).split()) for warning in caught):
        print(f"deciban: {harmless(text)}", file=sys.stderr)


def _draw(assessments: Sequence[Assessment], options: Namespace) -> None:
    if options.report:
        from deciban.evaluate.report import write_report

        write_report(options.report, assessments, title=options.index, made_by=_made_by(options))
    if options.figures:
        from deciban.evaluate.report import write_figures

        write_figures(options.figures, assessments)


def _made_by(options: Namespace) -> str:
    """The command, the version and the seed, so that the figures can be had again."""
    from shlex import join

    from deciban import __version__

    seed = "in the order of the index" if options.seed is None else f"seed {options.seed}"
    return f"Made by deciban {__version__}, {seed}: {harmless(join(['deciban', *sys.argv[1:]]))}"


class Plan:
    """The protocol that was asked for, the same for every subject."""

    def __init__(self, options: Namespace) -> None:
        from deciban.evaluate import read_steps
        from deciban.evaluate.assessment import PROMISES

        if sum(map(bool, (options.half, options.folds, options.feedback))) > 1:
            raise WrongUsage("--half, --folds and --feedback are different protocols: choose one")
        if options.sent and (options.half or options.folds):
            raise WrongUsage(
                "--sent is for mail that comes in one after the other: leave out --half and --folds"
            )
        steps = read_steps(options.index)
        if any(not (step.asked and step.told) for step in steps) and (
            options.half or options.folds or options.feedback or options.sent or options.seed is not None
        ):
            raise WrongUsage(
                f"{options.index} says itself when labels are told (Ham, SPAM …), so it is followed as it "
                "is: leave out --seed, --sent, --feedback, --half and --folds, or take its full/index"
            )
        self._steps = steps
        self._sent: list[StreamStep] = []
        self._options = options
        self._in_order = not (options.half or options.folds)
        self._rounds = options.rounds
        self._promises = PROMISES if options.promise is None else options.promise
        self._looks_closer = bool(options.report or options.figures or options.json)
        self.asked = 0
        if self._in_order:
            self._sent, self._steps = self._in_turn(steps)
            self.asked = sum(step.asked for step in self._steps)

    def assess(self, name: str, make: Callable[[], Subject]) -> Assessment:
        """Try one subject, and gather what there is to tell."""
        from deciban.evaluate import Assessment, DecibanCommittee
        from deciban.evaluate.mistakes import MistakeKeeper
        from deciban.evaluate.telling_features import telling_features

        keeper = MistakeKeeper() if self._looks_closer else None
        trial, subject = self._trial(name, make, keeper)
        promises: Sequence[float | KeptPromise] = self._promises
        try:
            if (
                self._corrected
                and isinstance(subject, DecibanCommittee)
                and len(trial.messages) == self.asked
            ):
                promises = [self._lived(name, rate) for rate in self._promises]
            known = [step.message for step in self._steps if step.asked]
            features = telling_features(subject, known) if self._looks_closer else {}
        finally:
            subject.close()
        return Assessment.of(
            name,
            trial,
            in_order=self._in_order,
            rounds=self._rounds,
            promises=promises,
            mistakes=keeper.worst if keeper else (),
            features=features,
            progress=Counter(f"{name}: limits", self._rounds, "rounds"),
        )

    def _trial(
        self, name: str, make: Callable[[], Subject], keeper: MistakeKeeper | None
    ) -> tuple[Trial, Subject]:
        """The trial, and the subject as it was left, which must be closed."""
        from deciban.evaluate import cross_validated, follow, split_in_half

        options = self._options
        messages = [step.message for step in self._steps]
        if options.folds:
            counter = Counter(name, options.folds * len(messages))
            trial = cross_validated(make, messages, options.folds, options.seed or 0, counter, keeper)
            return trial, make()
        subject = make()
        try:
            if options.half:
                counter = Counter(name, len(messages))
                return split_in_half(subject, messages, options.seed or 0, counter, keeper), subject
            counter = Counter(name, self.asked)
            if self._corrected:
                from deciban.evaluate.corrections import corrected

                return corrected(subject, self._corrections(), counter, keeper, salvage=True), subject
            return follow(subject, self._sent + self._steps, counter, keeper, salvage=True), subject
        except BaseException:
            subject.close()
            raise

    def _lived(self, name: str, rate: float) -> KeptPromise:
        """What becomes of a promise where only mistakes are told."""
        from deciban.evaluate.corrections import kept_promise

        return kept_promise(rate, self._corrections(), Counter(f"{name}: promise {rate:.1%}", self.asked))

    @property
    def _corrected(self) -> bool:
        return self._options.feedback is not None and self._options.feedback[0] == CORRECTIONS

    def _corrections(self) -> Corrections:
        from deciban.evaluate.corrections import Corrections

        options = self._options
        order = [step.message for step in self._steps]
        return Corrections(order, options.feedback[1], seed=options.seed or 0, before=self._sent)

    def _in_turn(self, steps: list[StreamStep]) -> tuple[list[StreamStep], list[StreamStep]]:
        """Sent mail, which is taught first, and the steps in which mail comes in."""
        from deciban.evaluate import feedback as kinds
        from deciban.evaluate import shuffled

        options = self._options
        if options.seed is None and options.feedback is None and not options.sent:
            return [], steps
        seed = options.seed or 0
        messages = [step.message for step in steps]
        order = messages if options.seed is None else shuffled(messages, seed)
        sent, order = kinds.part_sent(order, options.sent or 0, seed)
        kind, amount = options.feedback or ("immediate", 0)
        if kind == "delay":
            return sent, kinds.delayed(order, int(amount))
        if kind == "first":
            return sent, kinds.first(order, int(amount))
        if kind == "share":
            return sent, kinds.partial(order, amount, seed)
        return sent, kinds.immediate(order)


def feedback(text: str) -> tuple[str, float]:
    """When labels are told, as it is typed.

    >>> feedback("delay=1000"), feedback("share=0.4"), feedback("immediate"), feedback("corrections=0.2")
    (('delay', 1000), ('share', 0.4), ('immediate', 0), ('corrections', 0.2))
    """
    kind, given, amount = text.partition("=")
    if kind == "immediate" and not given:
        return kind, 0
    if kind in ("delay", "first") and given:
        return kind, whole_number(amount)
    if kind == "share" and given:
        return kind, share(amount)
    if kind == CORRECTIONS:
        from deciban.evaluate.corrections import SHARE

        return kind, share(amount) if given else SHARE
    raise refused(f"must be immediate, delay=N, first=N, share=S or corrections, got {text!r} instead")


def chosen_subjects(peers: Sequence[str]) -> dict[str, Callable[[], Subject]]:
    """deciban and the peers that were named, in that order."""
    from deciban.evaluate import PEERS, DecibanCommittee

    subjects: dict[str, Callable[[], Subject]] = {DecibanCommittee.name: DecibanCommittee}
    known = {flag_name(name): (name, peer) for name, peer in PEERS.items()}
    lines: list[tuple[str, str]] = []
    for typed in peers:
        name, is_command, line = typed.partition("=")
        if is_command:
            lines.append((name.strip(), line))
        elif name in known:
            subjects[known[name][0]] = known[name][1]
        else:
            raise WrongUsage(
                f"{name!r} is not a peer that deciban knows ({', '.join(PEER_NAMES)}); any other needs its "
                f"command: --peer {name}='COMMAND {{path}}'"
            )
    return subjects | _commands(lines)


def _commands(lines: Sequence[tuple[str, str]]) -> dict[str, Callable[[], Subject]]:
    """Peers by their lines: NAME or NAME@NUMBER classifies, NAME:LABEL teaches."""
    from functools import partial

    from deciban.committee.label import label_of
    from deciban.evaluate import CommandPeer
    from deciban.evaluate.peers.command import EVERY_OTHER_LABEL

    classify: dict[str, tuple[str, float | None]] = {}
    learn: dict[str, dict[str, str]] = {}
    for typed, line in lines:
        name, is_lesson, label = typed.partition(":")
        if is_lesson:
            known = label if label == EVERY_OTHER_LABEL else label_of(label)
            learn.setdefault(name, {})[known] = line
            continue
        name, has_bar, bar = typed.partition("@")
        try:
            classify[name] = line, float(bar) if has_bar else None
        except ValueError:
            raise WrongUsage(f"{typed!r} must be NAME@NUMBER, and {bar!r} is not a number") from None
    for name in classify.keys() ^ learn.keys():
        missing = f"{name}:LABEL" if name in classify else name
        raise WrongUsage(
            f"{name} needs a line that classifies and lines that teach: "
            f"add --peer {missing}='COMMAND {{path}}'"
        )
    return {
        name: partial(CommandPeer, name, line, learn[name], reject_at=bar)
        for name, (line, bar) in classify.items()
    }


def flag_name(name: str) -> str:
    """A peer as it is typed.

    >>> flag_name("Vowpal Wabbit")
    'vowpal-wabbit'
    """
    return name.lower().replace(" ", "-")


class Counter:
    """How far it is, on a terminal only."""

    def __init__(self, name: str, total: int, what: str = "messages") -> None:
        self._name = harmless(name)
        self._total = total
        self._what = what
        self._alive = sys.stderr.isatty() and not is_piped(sys.stdout)

    def __call__(self, done: int) -> None:
        """Show it, now and then."""
        if self._alive and (done % 100 == 0 or done == self._total):
            end = "\r\x1b[K" if done == self._total else ""
            sys.stderr.write(f"\r\x1b[K{self._name}: {done:,} of {self._total:,} {self._what}{end}")
            sys.stderr.flush()
