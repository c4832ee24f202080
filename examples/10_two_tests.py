"""Bayes' rule twice: two tests for a rare disease, alone and together.

One person in a thousand is ill: −30 dB. A test that finds 95% of the ill and frightens 5% of the healthy is
worth 12.8 dB, so after one positive test the person is still far more likely healthy. A second test adds its
own decibans, if its mistakes are independent of those of the first. If the same harmless antibody fools
both, the second tells next to nothing, but Naive Bayes counts it in full.

    python examples/10_two_tests.py [--quick] [--pictures DIR]
"""

from __future__ import annotations

import numpy as np

from deciban import Bernoulli, NaiveBayes
from deciban.decibans import DECIBANS_A_NAT
from drawing import bars, picture, save
from gallery import options

ILL = 0.001
# How often each test is positive: among the ill, among the healthy.
TESTS = {"blood": (0.95, 0.05), "scan": (0.90, 0.08)}
# How many of the healthy have an antibody that makes both tests positive.
COUNTRIES = {"each test errs by itself": 0.0, "one antibody fools both": 0.045}
MISSING = np.nan
CASES = {"blood +": (1, MISSING), "scan +": (MISSING, 1), "both +": (1, 1), "blood +, scan −": (1, 0)}


def people(antibody: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every kind of person, whether ill, and how many of them there are in the whole country."""
    rows, ill, shares = [], [], []
    for blood in (0, 1):
        for scan in (0, 1):
            for is_ill in (0, 1):
                chances = [chance[1 - is_ill] for chance in TESTS.values()]
                fooled = 0.0 if is_ill else antibody
                # Those without the antibody make up for it, so that each test alone stays as good as it was.
                alone = [(chance - fooled) / (1 - fooled) for chance in chances]
                share = (1 - fooled) * np.prod(
                    [one if seen else 1 - one for one, seen in zip(alone, (blood, scan), strict=True)]
                )
                share += fooled * (blood and scan)
                rows.append((blood, scan))
                ill.append("ill" if is_ill else "healthy")
                shares.append(share * (ILL if is_ill else 1 - ILL))
    return np.array(rows, dtype=float), np.array(ill), np.array(shares)


def truth(case: tuple[float, float], antibody: float) -> float:
    """P(ill | these results), counted."""
    rows, ill, shares = people(antibody)
    fits = np.all(np.isnan(case) | (rows == case), axis=1)
    return float(shares[fits & (ill == "ill")].sum() / shares[fits].sum())


def main() -> None:
    """What is believed after each result, and what is true."""
    told = options(__doc__)
    figure, axes = picture(columns=2, height=3.4)
    for panel, (name, antibody) in zip(axes, COUNTRIES.items(), strict=True):
        rows, ill, shares = people(antibody)
        model = NaiveBayes(Bernoulli(), rule="mle", prior=0).fit(rows, ill, sample_weight=shares * 1e6)
        believed = model.predict_proba(list(CASES.values()))[:, 1]
        true = [truth(case, antibody) for case in CASES.values()]
        print(f"\n{name}:  P(ill) by Naive Bayes, and counted")
        for case, by_model, counted in zip(CASES, believed, true, strict=True):
            print(f"  {case:18}{by_model:8.2%}{counted:10.2%}")
        bars(panel, list(CASES), {"Naive Bayes": believed, "counted": true})
        panel.set(title=name, ylim=(0, 0.2), ylabel="P(ill)")
    axes[0].legend()
    worth = [DECIBANS_A_NAT * np.log(hit / alarm) for hit, alarm in TESTS.values()]
    prior = DECIBANS_A_NAT * np.log(ILL / (1 - ILL))
    print(f"\nin decibans: prior {prior:.1f}, blood + {worth[0]:.1f}, scan + {worth[1]:.1f}")
    save(figure, told.pictures, "10_two_tests")


if __name__ == "__main__":
    main()
