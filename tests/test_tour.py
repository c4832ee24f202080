"""`make tour` runs its whole tour, and what it claims is true."""

import subprocess
import sys


def test_the_tour_runs_and_its_claims_hold():
    shown = subprocess.run([sys.executable, "-m", "deciban.tour"], capture_output=True, text=True, check=True)
    assert shown.stderr == ""
    assert "the tally equals that of the seven other mails: True" in shown.stdout
    assert "ham rather than spam: 4.0 dB" in shown.stdout
    assert "Where to look next" in shown.stdout
