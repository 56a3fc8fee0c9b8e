"""The two fits that calibrations are made of: a decision and a choice.

A decision is ordinary logistic regression, by scikit-learn; a choice, which one of several is
chosen, is a conditional logit (McFadden 1974), which scikit-learn lacks: SciPy finds its minimum.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

# Ridge on standardised features: there is little to regularise, but separable data must end too.
RIDGE = 1e-3
STEPS_MAX = 1000
TOLERANCE = 1e-8  # of the gradient: weights are right to four decimals
CONSTANT = 1e-9  # a deviation up to this is a rounding error


def fit_decision(features: Array, labels: Array, weights: Array) -> tuple[float, Array]:
    """Bias and weights of features (n, k), for labels 0 and 1 (n,)."""
    spread = spread_of(features)
    # Its penalty is against the sum over all rows, not their mean.
    model = LogisticRegression(
        C=1 / RIDGE, solver="newton-cholesky", tol=TOLERANCE, max_iter=STEPS_MAX
    )
    model.fit(features / spread, labels, sample_weight=weights / weights.sum())
    return float(model.intercept_[0]), model.coef_[0] / spread


def fit_choice(features: Array, present: Flags, chosen: Flags, weights: Array) -> Array:
    """Weights of features (n, choices, k). Of each row one is `chosen`; `present` (n, choices)
    tells what can be."""
    spread = spread_of(features[present])
    design = features / spread
    share_of_row = weights / weights.sum()

    def loss(beta: Array) -> tuple[float, Array]:
        """And its gradient."""
        likelihood = log_softmax(np.where(present, design @ beta, -np.inf), axis=1)
        too_likely = share_of_row[:, None] * (np.exp(likelihood) - chosen)
        return (
            float(RIDGE * beta @ beta / 2 - share_of_row @ likelihood[chosen]),
            np.einsum("nc,nck->k", too_likely, design) + RIDGE * beta,
        )

    found = minimize(
        loss,
        np.zeros(design.shape[2]),
        jac=True,
        method="L-BFGS-B",
        options={"gtol": TOLERANCE, "ftol": 0.0, "maxiter": STEPS_MAX},
    )
    return np.asarray(found.x / spread)


def spread_of(features: Array) -> Array:
    """The deviation of each feature (n, k); infinite, so that it gets no weight, where it never
    varies: it would be a second bias."""
    spread = features.std(axis=0)
    return np.where(spread > CONSTANT, spread, np.inf)
