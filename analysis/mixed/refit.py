"""A model's table and an R script that fits it again with lme4, glmmTMB or ordinal."""

import re

from analysis.mixed.result import MixedResult

_TREATMENT = re.compile(r"C\(([^(),]+), Treatment\((\"[^\"]*\"|[^()]+)\)\)")
_CALLS = {
    "gaussian": ("lme4", "lmer(formula, data{more}, REML = {reml})"),
    "binomial": ("lme4", 'glmer(formula, data{more}, family = binomial{nodes})'),
    "probit": ("glmmTMB", 'glmmTMB(formula, data{more}, family = binomial("probit"))'),
    "poisson": ("lme4", "glmer(formula, data{more}, family = poisson{nodes})"),
    "nbinom2": ("glmmTMB", "glmmTMB(formula, data{more}, family = nbinom2)"),
    "gamma": ("glmmTMB", 'glmmTMB(formula, data{more}, family = Gamma("log"))'),
    "ordinal": ("ordinal", "clmm(formula, data = data{more})"),
}  # fmt: skip
_PLAIN_CALLS = {
    "gaussian": ("stats", "lm(formula, data{more})"),
    "binomial": ("stats", "glm(formula, data = data{more}, family = binomial)"),
    "probit": ("stats", 'glm(formula, data = data{more}, family = binomial("probit"))'),
    "poisson": ("stats", "glm(formula, data = data{more}, family = poisson)"),
    "ordinal": ("ordinal", "clm(formula, data = data{more})"),
}
_CONTROL = 'control = glmerControl(optimizer = "bobyqa")'
_SCRIPT = """\
# Fits the model again in R and prints its estimates beside ours.
# In this folder: Rscript refit.R
suppressMessages(library({package}))

data <- read.csv("table.csv", check.names = FALSE, stringsAsFactors = FALSE)
# Text columns are factors with treatment coding; the base is the first level in sorted order.
for (name in names(data)) if (is.character(data[[name]]))
  data[[name]] <- factor(data[[name]], levels = sort(unique(data[[name]]), method = "radix"))
{response}formula <- {formula}
fit <- {call}
print(fit)

theirs <- {estimates}
ours <- read.csv("estimates.csv")
print(data.frame(term = ours$term, ours = ours$estimate, R = theirs,
                 difference = ours$estimate - theirs), digits = 6, row.names = FALSE)
cat("log-likelihood: ours {value:.4f}, R", format(as.numeric(logLik(fit)), nsmall = 4), "\\n")
{means}"""


def refit_files(result: MixedResult, weights: str | None = None) -> dict[str, str]:
    """Return the files of a folder in which R fits a model again.

    Parameters
    ----------
    result
        A fit of a formula as the user wrote it.
    weights
        Column of the rows' weights.

    Returns
    -------
    dict
        ``table.csv``: the formula's columns, and the rows that the model was fitted to;
        ``estimates.csv``: coefficients and thresholds with standard errors; ``refit.R``.
    """
    design = result.estimates.design
    own = result.own if design.levels else ()
    rows = "".join(
        f'"{row.term.replace(chr(34), chr(34) * 2)}",{row.estimate!r},{row.se!r}\n'
        for row in (*own, *result.fixed)
    )
    return {
        "table.csv": design.recipe.frame.to_csv(index=False),
        "estimates.csv": f"term,estimate,se\n{rows}",
        "refit.R": script(result, weights),
    }


def script(result: MixedResult, weights: str | None = None) -> str:
    """Return the R script."""
    design = result.estimates.design
    mixed = bool(design.random)
    package, call = {**_CALLS, **({} if mixed else _PLAIN_CALLS)}[result.family]
    nodes = re.match(r".*\((\d+) nodes", result.engine)
    text_columns = [name for name, cells in design.recipe.frame.items() if cells.dtype == object]
    response = design.formula.partition("~")[0].strip()
    factors = [name for name in text_columns if name in design.recipe.fixed.columns]
    means = "".join(
        f"if (requireNamespace('emmeans', quietly = TRUE))\n"
        f"  print(emmeans::emmeans(fit, ~ `{name}`))\n"
        for name in factors
    )
    return _SCRIPT.format(
        package=package,
        response=_ordered(response, design.levels),
        formula=r_formula(design.formula),
        call=call.format(
            more="" if weights is None else f", weights = `{weights}`",
            reml="TRUE" if result.criterion == "REML" else "FALSE",
            nodes=f", nAGQ = {nodes.group(1) if nodes else 1}, {_CONTROL}",
        ),
        estimates=_estimates(package, mixed),
        value=result.log_likelihood,
        means=means,
    )


def r_formula(formula: str) -> str:
    """Return a formula of ours as R reads it."""
    text = formula.replace("np.log(", "log(")
    text = _TREATMENT.sub(lambda m: f'relevel(factor({m[1]}), "{m[2].strip(chr(34))}")', text)
    text = re.sub(r"\bC\(([^(),]+), Sum\)", r"C(factor(\1), contr.sum)", text)
    return re.sub(r"\bC\(([^(),]+)\)", r"factor(\1)", text)


def _ordered(response: str, levels: tuple[str, ...]) -> str:
    if not levels:
        return ""
    name = response.strip("`")
    listed = ", ".join(f'"{level}"' for level in levels)
    return f"data[['{name}']] <- factor(data[['{name}']], levels = c({listed}), ordered = TRUE)\n"


def _estimates(package: str, mixed: bool) -> str:
    if package == "lme4":
        return "fixef(fit)"
    return "fixef(fit)$cond" if package == "glmmTMB" else "coef(fit)"
