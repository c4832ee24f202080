"""Every example runs with --quick, draws what the gallery shows, and means what the gallery says."""

import math
import re
import runpy
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*_*.py"))
PICTURES = sorted(path for path in (ROOT / "docs" / "gallery").iterdir() if path.suffix in (".png", ".svg"))
ARCHIVES = ROOT.parent / "shared" / "data"
PAGE = (ROOT / "docs" / "gallery.md").read_text()
LONGEST, LONGER = 80, range(1, 10)  # the first nine show several things each


@pytest.fixture(scope="module", autouse=True)
def _archives_are_let_go():
    """Archives stay unpacked from one example to the next, and not for the tests after these."""
    yield
    for shared in ("gallery", "drawing"):
        sys.modules.pop(shared, None)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs an example as a program, in this process, because importing takes longer than most of them."""
    monkeypatch.syspath_prepend(ROOT / "examples")

    def result(stem, *corpora):
        for name in corpora:
            if not (ARCHIVES / f"{name}.tar.gz").exists():
                pytest.skip(f"needs {name}.tar.gz in ../shared/data")
        example = ROOT / "examples" / f"{stem}.py"
        monkeypatch.setattr(sys, "argv", [str(example), "--quick", "--pictures", str(tmp_path)])
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("default")
            runpy.run_path(str(example), run_name="__main__")
        number = stem.partition("_")[0]
        kept = {path.name for path in PICTURES if path.name.startswith(f"{number}_")}
        assert kept
        assert kept == {path.name for path in tmp_path.iterdir()}
        return capsys.readouterr().out

    return result


def figures(text, row):
    """The numbers of the first line that begins with these words; percentages as shares."""
    line = next(line for line in text.splitlines() if line.lstrip().startswith(row))
    rest = line.lstrip()[len(row) :].replace(",", "").replace("−", "-")
    found = re.findall(r"(?<![\w.])([+-]?(?:inf|\d+\.?\d*))(%?)(?![\w.])", rest)
    return [float(number) / (100 if percent else 1) for number, percent in found]


def test_the_filter_is_better_than_textbook_models_and_all_words_are_better_than_200(run):
    shown = run("1_spam_textbook", "spamassassin")
    wrong = {
        name: figures(shown, name)[0]
        for name in ("Bernoulli, 200 words, c = 1", "multinomial, 200 words, c = 1")
    }
    every_word = figures(shown, "multinomial, 5158 words, c = 1")[0]
    assert figures(shown, "the filter")[0] <= every_word < min(wrong.values())
    assert figures(shown, "wrote")[-1] < -10  # decibans: people who answer write good mail
    assert figures(shown, "removed")[-1] > 6
    assert re.search(r"α = 0: at most \de-1\d nats", shown)


def test_textclassifier_is_ahead_of_naive_bayes_and_telling_words_are_of_the_subject(run):
    shown = run("2_newsgroups", "20newsgroups_19997", "20newsgroups_bydate")
    ours, plain = (figures(shown, f"deciban {name}")[:3] for name in ("TextClassifier", "NaiveBayes"))
    assert all(one > other for one, other in zip(ours, plain, strict=True))
    curve = figures(shown, "TextClassifier  ")
    assert curve[-1] > curve[1]
    telling = shown.partition("Most telling words")[2]
    for group, some in {
        "rec.motorcycles": {"bike", "bikes", "motorcycle", "dod", "ride"},
        "rec.sport.hockey": {"hockey", "team", "game", "nhl", "season", "players"},
        "sci.crypt": {"key", "encryption", "keys", "clipper", "nsa"},
        "sci.space": {"space", "orbit", "nasa", "launch", "moon"},
        "talk.politics.mideast": {"israel", "israeli", "armenian", "armenians", "turkish", "jews"},
        "talk.politics.guns": {"gun", "guns", "weapons", "firearms"},
    }.items():
        words = next(line for line in telling.splitlines() if line.startswith(group)).split()[1::2]
        assert some & set(words), f"{group}: {words}"


def test_several_kinds_of_a_digit_and_neighbours_read_better_than_naive_bayes(run):
    shown = run("3_digits", "usps")
    simple, five = figures(shown, "Bernoulli  ")[0], figures(shown, "mixture of 5 Bernoullis")[0]
    assert simple + 0.03 < five < figures(shown, "the nearest neighbour  ")[0] + 0.03
    projected = [
        figures(shown, f"the nearest neighbour, projected to {size} dimensions")[0] for size in (8, 32, 128)
    ]
    assert projected == sorted(projected)


def test_without_smoothing_the_truth_is_impossible_and_empirical_smoothing_is_among_the_best(run):
    shown = run("4_smoothing", "20newsgroups_bydate")
    for name in ("Multinomial", "Bernoulli"):
        none, laplace, found, crossed = (
            figures(shown, f"{name:14}{smoothing:18}")
            for smoothing in ("α = 0", "α = 1", "empirical", "cross-validated")
        )
        assert none == [pytest.approx(0.05, abs=0.03), -math.inf]
        assert found[0] > laplace[0] + 0.1
        assert found[0] > crossed[0] - 0.03
        assert found[1] > laplace[1]


def test_em_on_tf_idf_finds_purer_clusters_than_k_means_and_unlabelled_posts_help(run):
    shown = run("5_hidden_labels", "20newsgroups_bydate")
    assert figures(shown, "EM, TF-IDF")[0] > figures(shown, "k-means, TF-IDF")[0]
    for labels in ("20 ", "100 ", "300 "):
        alone, with_others, _ = figures(shown, labels)
        assert with_others > alone


def test_naive_bayes_is_sure_where_it_is_wrong_and_tempering_mends_that(run):
    shown = run("6_overconfidence", "spamassassin")
    plain, tempered, judge = (
        figures(shown, name)
        for name in ("Naive Bayes, multinomial", "multinomial, tempered", "the filter's judge")
    )
    assert plain[1] > 3 * tempered[1] > 3 * judge[1]  # log-loss
    assert plain[3] > tempered[3] >= judge[3]  # wrong with a probability above .999


def test_with_ten_rows_integrating_out_is_best_and_with_thousands_logistic_regression(run):
    shown = run("7_mixed_columns", "spambase")
    spambase = shown.partition("Spambase")[2]
    integrated, peak, logistic = (
        figures(spambase, name) for name in ("Columns, bayes", "Columns, map", "logistic regression")
    )
    assert integrated[0] > peak[0] + 0.05
    assert logistic[-1] > integrated[-1]


def test_seven_neighbours_outvote_the_noise_that_one_believes(run):
    shown = run("8_neighbors", "sms_spam")
    one, seven, many = (figures(shown, f"k = {k} ")[:2] for k in (1, 7, 61))
    assert one[0] == 0
    assert seven[1] < many[1] < one[1]
    wave = shown.partition("a noisy wave")[2]
    assert figures(wave, "k = 7 ")[0] < figures(wave, "k = 1 ")[0]
    assert figures(shown, "compression, k = 1")[0] < figures(shown, "edit, k = 1")[0]


def test_mail_goes_to_its_folder_far_more_often_than_to_the_largest(run):
    shown = run("9_mail_routing", "spamassassin")
    largest = float(re.search(r"the largest folder holds ([\d.]+)%", shown)[1]) / 100
    assert figures(shown, "all")[2] > 0.8 > 2 * largest


def test_a_second_test_is_worth_as_much_as_the_first_only_if_it_errs_by_itself(run):
    alone, fooled = run("10_two_tests").split("one antibody")
    believed, counted = figures(alone, "both +")
    assert believed == counted > 5 * figures(alone, "blood +  ")[1]
    assert figures(fooled, "both +")[0] > 5 * figures(fooled, "both +")[1]


def test_copies_of_a_word_make_naive_bayes_surer_and_worse(run):
    shown = run("11_independence")
    assert "P(thunder, rain) = 63.0% = 90% · 70%" in shown
    rows = [figures(shown, f"{copies:<16}") for copies in (1, 2, 4, 8, 16)]
    believed, truth, loss = ([row[column] for row in rows] for column in (1, 2, 4))
    assert believed == sorted(believed)
    assert loss == sorted(loss)
    assert abs(believed[0] - truth[0]) < 0.05 < 0.2 < believed[-1] - truth[-1]


def test_naive_bayes_needs_few_rows_and_the_full_joint_needs_no_assumption(run):
    independent, dependent = run("12_full_joint").split("\ndependent")
    best = float(re.search(r"more than ([\d.]+)%", independent)[1]) / 100
    joint, naive = figures(independent, "100 ")
    assert naive > joint + 0.1
    assert figures(independent, "10,000")[1] == pytest.approx(best, abs=0.02)
    joint, naive = figures(dependent, "10,000")
    assert joint > naive + 0.1


def test_naive_bayes_learns_from_fewer_mails_than_logistic_regression(run):
    shown = run("13_generative", "spamassassin")
    generative, discriminative = figures(shown, "100 ")
    assert generative < discriminative


def test_tosses_outweigh_a_prior_and_a_zero_count_decides_alone(run):
    shown = run("14_beliefs")
    peaks = [
        figures(shown, f"{tosses} tosses, Beta(20, 20): surely fair")[0] for tosses in ("10", "100", "1,000")
    ]
    assert peaks == sorted(peaks, reverse=True)
    assert peaks[-1] == pytest.approx(0.3, abs=0.01)
    assert "α = 0    P(spam) = 0.0%" in shown
    assert "α = 1    P(spam) = 100.0%" in shown


def test_plates_are_drawn(run):
    assert "1 + 2 · 999 (multinomial)" in run("15_plates")


def test_one_imagined_sighting_of_every_word_is_worth_many_points(run):
    shown = run("16_zeros_in_mail", "spamassassin")
    assert figures(shown, "α = 0 ")[0] + 0.05 < figures(shown, "α = 1 ")[0] > 0.85


def test_one_wrong_label_misleads_one_neighbour_and_not_seven(run):
    shown = run("17_votes")
    one, seven = figures(shown, "k = 1:"), figures(shown, "k = 7:")
    assert one[1] < 0.9 < 0.99 < seven[1]
    assert one[0] < seven[0]


def test_every_distance_stays_within_the_bound(run):
    shown = run("18_distances")
    assert shown.count("100.00% of squared distances within 1 ± ε") == 3


def test_a_bag_of_words_learns_from_fewer_messages_than_words_at_their_places(run):
    shown = run("19_positions", "sms_spam")
    with_places, bag = figures(shown, "300 ")
    assert bag < with_places / 2


def test_plain_naive_bayes_is_behind_what_is_used_today(run):
    shown = run("20_plain_newsgroups", "20newsgroups_19997", "20newsgroups_bydate")
    plain = figures(shown, "plain Naive Bayes, α = 1")[0]
    for better in ("logistic regression", "linear SVM", "TextClassifier"):
        assert figures(shown, better)[0] > plain > 0.2


def test_more_tables_find_more_neighbours_and_look_at_more_rows(run):
    shown = run("21_hashing")
    found, looked = zip(
        *(figures(shown, f"hashing, 10 bits, {tables:2} tables") for tables in (1, 5, 40)), strict=True
    )
    assert list(found) == sorted(found)
    assert list(looked) == sorted(looked)
    assert figures(shown, "graph, breadth 64")[0] > 0.95


def test_those_who_rate_alike_know_more_than_everybody(run):
    shown = run("22_recommender")
    assert 0.5 < figures(shown, "10 who rate alike")[0] < figures(shown, "what everybody says of it")[0]
    assert figures(shown, "10 who rate alike")[0] < figures(shown, "1 who rate alike")[0]


def test_neighbours_know_nothing_of_tomorrows_price(run):
    shown = run("23_prices")
    between, mean = figures(shown, "price on a day between days learned, $")
    assert between < mean / 5  # what looks like a forecast
    for honest in (
        "price on later days, $ (baseline: the last price)",
        "price tomorrow, $ (baseline: that of today)",
    ):
        ours, baseline = figures(shown, honest)
        assert ours > baseline
    ours, baseline = figures(shown, "up or down, % right (baseline: the same every day)")
    assert ours - baseline < float(re.search(r"vary by ±([\d.]+)", shown)[1])


def test_a_payment_is_held_by_what_it_would_cost_and_not_by_what_is_likelier(run):
    shown = run("24_fraud")
    lost = [
        int(re.search(rf"^{re.escape(name)}.*\$ *([\d,]+)$", shown, re.MULTILINE)[1].replace(",", ""))
        for name in ("hold where P(fraud) · amount > call", "hold where P(fraud) > ½", "let everything pass")
    ]
    assert lost == sorted(lost)
    assert "label prior" in shown


def test_the_median_grade_is_less_wrong_and_the_likeliest_more_often_right(run):
    shown = run("25_grading")
    likeliest, median = figures(shown, "the likeliest grade"), figures(shown, "the median of the posterior")
    assert likeliest[0] > median[0]
    assert median[1] < likeliest[1] < figures(shown, "always C")[1]


def test_what_a_reader_sees_tells_the_kind_of_page_better_than_its_html(run):
    shown = run("26_web_pages")
    assert figures(shown, "what a reader sees")[3] > figures(shown, "HTML as it is")[3] + 0.2


def test_kinds_of_a_letter_and_neighbours_read_new_typefaces_better_than_naive_bayes(run):
    shown = run("27_letters")
    simple, kinds, nearest = (
        figures(shown, name)[0] for name in ("Naive Bayes", "3 kinds of each letter", "the nearest neighbour")
    )
    assert 10 / 26 < simple < kinds < nearest


def test_a_mixture_draws_digits_that_are_nearer_to_real_ones(run):
    shown = run("28_drawing_rows", "usps", "spamassassin")
    real, simple, mixed = (
        figures(shown, name) for name in ("real digits", "Naive Bayes", "10 kinds of each digit")
    )
    assert real[0] < mixed[0] < simple[0]
    assert mixed[1] > 0.85
    assert re.search("^spam .*(please|our|your|free|click|financial)", shown, re.MULTILINE)


def test_words_of_mail_depend_on_each_other_and_shuffled_ones_do_not(run):
    words, shuffled, cells = run("29_dependence", "spamassassin").split("\n\n")[:3]
    assert figures(words, "words of mail:")[0] > 20
    assert figures(shuffled, "the same words, shuffled within each label:")[0] == 0
    assert "mean radius, mean area" in cells or "mean radius, mean perimeter" in cells


def test_a_memory_of_what_is_recent_follows_data_that_change(run):
    shown = run("30_drift")
    everything, rolling, fading = (
        figures(shown, name) for name in ("everything", "Rolling(10)", "Fading(5)")
    )
    assert everything[0] < 0.7 < min(rolling[0], fading[0])
    assert everything[1] < 0.2 < min(rolling[1], fading[1])


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_run_by_a_test_of_its_meaning(example):
    assert f'run("{example.stem}"' in Path(__file__).read_text()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_fits_on_two_screens(example):
    number = int(example.stem.partition("_")[0])
    lines = len(example.read_text().splitlines())
    assert lines <= LONGEST or number in LONGER


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_gallery_names_the_command_of_every_example(example):
    assert f"examples/{example.name}" in PAGE


@pytest.mark.parametrize("shown", PICTURES, ids=lambda path: path.stem)
def test_the_gallery_shows_every_picture(shown):
    assert f"(gallery/{shown.name})" in PAGE


def test_all_examples_run_in_turn_until_one_fails(tmp_path):
    (tmp_path / "__main__.py").write_text((ROOT / "examples" / "__main__.py").read_text())
    (tmp_path / "1_says.py").write_text("import sys; print('told', sys.argv[1:])")
    (tmp_path / "2_fails.py").write_text("raise SystemExit(3)")
    (tmp_path / "3_never.py").write_text("print('never')")
    shown = subprocess.run([sys.executable, tmp_path, "--quick"], capture_output=True, text=True, check=False)
    assert shown.returncode == 3
    assert "told ['--quick']" in shown.stdout
    assert "never" not in shown.stdout
    assert [line.split()[0] for line in shown.stdout.splitlines()[-4:]] == [
        "seconds",
        "1_says",
        "2_fails",
        "all",
    ]
