"""A model's table and an R script that fits it again with lme4, glmmTMB or ordinal."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from analysis.mixed.design import Design
from analysis.mixed.result import MixedResult

_TREATMENT = re.compile(r"C\(([^(),]+), Treatment\((\"[^\"]*\"|[^()]+)\)\)")
TWO = 2
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
# In this folder: Rscript {stem}refit.R
suppressMessages(library({package}))

data <- read.csv("{stem}table.csv", check.names = FALSE, stringsAsFactors = FALSE)
# Text columns are factors with treatment coding; the base is the first level in sorted order.
for (name in names(data)) if (is.character(data[[name]]))
  data[[name]] <- factor(data[[name]], levels = sort(unique(data[[name]]), method = "radix"))
{response}formula <- {formula}
fit <- {call}
print(fit)

theirs <- {estimates}
ours <- read.csv("{stem}estimates.csv")
places <- match(ours$r_term, names(theirs))
if (!anyNA(places)) theirs <- theirs[places]
print(data.frame(term = ours$term, ours = ours$estimate, R = theirs,
                 difference = ours$estimate - theirs), digits = 6, row.names = FALSE)
cat("log-likelihood: ours {value:.4f}, R", format(as.numeric(logLik(fit)), nsmall = 4), "\\n")
{means}"""


def refit_files(
    result: MixedResult, weights: str | None = None, *, stem: str = ""
) -> dict[str, str]:
    """Return the files of a folder in which R fits a model again.

    Parameters
    ----------
    result
        The fit. Its fixed effects are spelled as the formula has them, its random effects as they
        were fitted: those that were left out aren't there.
    weights
        Column of the rows' weights.
    stem
        Begins the files' names.

    Returns
    -------
    dict
        ``table.csv``: the formula's columns, those of random slopes that are no column of the
        table, and the rows that the model was fitted to; ``estimates.csv``: coefficients and
        thresholds with standard errors; ``refit.R``.
    """
    design = result.estimates.design
    own = result.own if design.levels else ()
    rows = "".join(
        f"{_quoted(row.term)},{_quoted(r_term(row.term))},{row.estimate!r},{row.se!r}\n"
        for row in (*own, *result.fixed)
    )
    return {
        f"{stem}table.csv": design.recipe.frame.assign(**_slopes(design)).to_csv(index=False),
        f"{stem}estimates.csv": f"term,r_term,estimate,se\n{rows}",
        f"{stem}refit.R": script(result, weights, stem=stem),
    }


def script(result: MixedResult, weights: str | None = None, *, stem: str = "") -> str:
    """Return the R script; parameters as in `refit_files`."""
    design = result.estimates.design
    mixed = bool(design.random)
    package, call = {**_CALLS, **({} if mixed else _PLAIN_CALLS)}[result.family]
    nodes = re.match(r".*\((\d+) nodes", result.engine)
    text_columns = [
        str(name) for name, cells in design.recipe.frame.items() if cells.dtype == object
    ]
    response = design.formula.partition("~")[0].strip()
    factors = [name for name in text_columns if name in design.recipe.fixed.columns]
    return _SCRIPT.format(
        stem=stem,
        package=package,
        response=_ordered(response, design.levels),
        formula=" + ".join((r_formula(_fixed_part(design.formula)), *_bars(design))),
        call=call.format(
            more="" if weights is None else f", weights = `{weights}`",
            reml="TRUE" if result.criterion == "REML" else "FALSE",
            nodes=f", nAGQ = {nodes.group(1) if nodes else 1}, {_CONTROL}",
        ),
        estimates=_estimates(package, mixed),
        value=result.log_likelihood,
        means=_means(design, factors),
    )


def _fixed_part(formula: str) -> str:
    """Return a formula without its random effects."""
    response, _, right = formula.partition("~")
    terms, depth = [""], 0
    for letter in right:
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and letter in "+-" and terms[-1].strip():
            terms.append("")
        terms[-1] += letter
    kept = "".join(term for term in terms if "|" not in term).strip().removeprefix("+").strip()
    return f"{response.strip()} ~ {kept or '1'}"


def _bars(design: Design) -> Iterator[str]:
    """Yield the random effects that were fitted, one term for each block that correlates."""
    for factor in design.random:
        for block in factor.blocks:
            terms = [_slope(factor.terms[place], design) for place in block]
            yield f"({' + '.join(terms if '1' in terms else ['0', *terms])} | {factor.group})"


def _slope(term: str, design: Design) -> str:
    if term == "(Intercept)":
        return "1"
    return term if term in design.recipe.frame and term.isidentifier() else f"`{term}`"


def _slopes(design: Design) -> dict[str, np.ndarray]:
    """Return the regressors of random slopes that the table has no column of, by their term."""
    return {
        term: factor.regressors[:, place]
        for factor in design.random
        for place, term in enumerate(factor.terms)
        if term != "(Intercept)" and term not in design.recipe.frame
    }


def _means(design: Design, factors: Sequence[str]) -> str:
    """Return the lines that print marginal means: of factors, and of columns with two values."""
    frame, columns = design.recipe.frame, design.recipe.fixed.columns
    two = {
        name: sorted(values)
        for name in columns
        if name not in factors and len(values := set(frame[name])) == TWO
    }
    together = [
        [name for name in (*factors, *two) if name in _variables(term)]
        for term in design.fixed_names
        if ":" in term
    ]
    # Cells of what interacts; each of the others by itself.
    inside = {name for names in together for name in names}
    alone = [[name] for name in (*factors, *two) if name not in inside]
    specs = dict.fromkeys(" * ".join(f"`{name}`" for name in names) for names in together + alone)
    if not any(specs):
        return ""
    at = ", ".join(f"`{name}` = c({low!r}, {high!r})" for name, (low, high) in two.items())
    calls = "".join(
        f'  print(emmeans::emmeans(fit, ~ {spec}, at = at, type = "response"))\n'
        for spec in specs
        if spec
    )
    return (
        "# Of a person and an item whose random effects are 0; a report averages over those that "
        "took part.\n"
        f'if (requireNamespace("emmeans", quietly = TRUE)) {{\n  at <- list({at})\n{calls}}}\n'
    )


def _variables(term: str) -> set[str]:
    """Return the columns of a fixed term such as ``C(step)[3]:method[b]``."""
    parts = re.sub(r"\[[^\]]*\]", "", term).split(":")
    return {re.sub(r"^C\(([^(),]+).*\)$", r"\1", part) for part in parts}


def r_term(term: str) -> str:
    """Return what R calls a coefficient, e.g. ``factor(step)3:methodb`` of C(step)[3]:method[b]."""
    parts = re.split(r":(?![^\[]*\])", term)
    return ":".join(re.sub(r"^(.*)\[([^\]]*)\]$", _named, part) for part in parts)


def _named(match: re.Match[str]) -> str:
    return r_formula(match[1]) + match[2]


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


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
