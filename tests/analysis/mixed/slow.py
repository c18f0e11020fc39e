"""Likelihoods straight from their definitions: dense, slow, without any of our algebra."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, gammaln
from scipy.stats import gamma, multivariate_normal, nbinom, norm


def dense_root(design, triangles):
    """Return Z L as one (n, effects) matrix; triangles on the regressors' own scale."""
    columns = []
    for factor, triangle in zip(design.random, triangles, strict=True):
        for level in range(factor.levels):
            rows = np.where(factor.codes == level, 1.0, 0.0)
            columns.append((factor.regressors * rows[:, None]) @ triangle)
    return np.hstack(columns)


def linear(design, triangles, residual_sd, coefficients):
    """Return the log-density of the response: multivariate normal."""
    root = dense_root(design, triangles)
    covariance = root @ root.T + residual_sd**2 * np.eye(design.rows)
    mean = design.fixed @ coefficients + design.offset
    return float(multivariate_normal(mean, covariance).logpdf(design.response))


def restricted(design, triangles, residual_sd):
    """Return the restricted log-likelihood (Harville 1974): coefficients integrated out."""
    root = dense_root(design, triangles)
    covariance = root @ root.T + residual_sd**2 * np.eye(design.rows)
    inverse = np.linalg.inv(covariance)
    x, y = design.fixed, design.response - design.offset
    information = x.T @ inverse @ x
    rest = y - x @ np.linalg.solve(information, x.T @ inverse @ y)
    return float(
        -np.linalg.slogdet(covariance)[1] / 2
        - np.linalg.slogdet(information)[1] / 2
        - rest @ inverse @ rest / 2
        - (design.rows - x.shape[1]) * np.log(2 * np.pi) / 2
    )


def log_density(family, y, trials, eta):
    """Return (n,) log p(y | eta) with all constants."""
    if family == "poisson":
        return y * eta - np.exp(eta) - gammaln(y + 1)
    coefficient = gammaln(trials + 1) - gammaln(y + 1) - gammaln(trials - y + 1)
    if family == "probit":
        return coefficient + y * norm.logcdf(eta) + (trials - y) * norm.logsf(eta)
    return coefficient + y * eta - trials * np.logaddexp(0, eta)


def laplace(design, family, triangles, coefficients):
    """Return the Laplace approximation: mode by a general optimiser, then the determinant."""
    root = dense_root(design, triangles)
    fixed = design.fixed @ coefficients + design.offset
    y, trials = design.response, design.trials

    def score_of(eta):
        if family == "probit":
            p = norm.cdf(eta)
            return (y - trials * p) * norm.pdf(eta) / (p * (1 - p))
        return y - (np.exp(eta) if family == "poisson" else trials * expit(eta))

    def joint(u):
        eta = fixed + root @ u
        slope = root.T @ score_of(eta) - u
        return -(log_density(family, y, trials, eta).sum() - u @ u / 2), -slope

    found = minimize(joint, np.zeros(root.shape[1]), jac=True, method="BFGS",
                     options={"gtol": 1e-9, "maxiter": 5000})  # fmt: skip
    eta, step = fixed + root @ found.x, 1e-5
    weight = (score_of(eta - step) - score_of(eta + step)) / (2 * step)
    hessian = np.eye(root.shape[1]) + root.T @ (weight[:, None] * root)
    return -found.fun - np.linalg.slogdet(hessian)[1] / 2


def shaped_log_density(family, y, eta, shape):
    """Return (n,) log p(y | eta) of a family with parameters of its own; `shape` as reported."""
    if family == "nbinom2":
        return nbinom.logpmf(y, shape[0], shape[0] / (shape[0] + np.exp(eta)))
    if family == "gamma":
        return gamma.logpdf(y, shape[0], scale=np.exp(eta) / shape[0])
    reached = np.vstack([0 * eta, expit(np.array(shape)[:, None] - eta), 1 + 0 * eta])
    return np.log(np.diff(reached, axis=0)[y.astype(int), np.arange(len(y))])


def laplace_of(density, design, triangles, coefficients):
    """Return the Laplace approximation of any (n,) log p(eta), by differences of it alone."""
    root = dense_root(design, triangles)
    fixed = design.fixed @ coefficients + design.offset
    found = minimize(lambda u: u @ u / 2 - density(fixed + root @ u).sum(),
                     np.zeros(root.shape[1]), options={"gtol": 1e-6})  # fmt: skip
    eta, step = fixed + root @ found.x, 1e-3
    weight = (2 * density(eta) - density(eta + step) - density(eta - step)) / step**2
    hessian = np.eye(root.shape[1]) + root.T @ (weight[:, None] * root)
    return -found.fun - np.linalg.slogdet(hessian)[1] / 2
