import numpy as np
import pytest

from deciban import Bernoulli


@pytest.mark.parametrize("binarize", ["", "Multinomial", [0], np.nan], ids=str)
def test_a_threshold_that_is_no_number_is_refused(binarize):
    with pytest.raises(ValueError, match="binarize must be a finite number"):
        Bernoulli(binarize=binarize)
