"""A model's table and an R script that fits it again with lme4, glmmTMB or ordinal."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from analysis.mixed.design import Design
from analysis.mixed.result import MixedResult, Outcome

_CODED = re.compile(
    r"\bC\(\s*([^(),]+?)\s*,\s*"
    r"(?:Treatment\(\s*(\"[^\"]*\"|'[^']*'|[^()]+?)\s*\)|Sum)\s*\)"
)
TWO = 2
LARGEST_EXACT = 2**53
"""Beyond it R, as any double, merges whole numbers."""
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
# {what}
# In this folder: Rscript {stem}refit.R
{why}suppressMessages(library({package}))

data <- read.csv("{stem}table.csv", check.names = FALSE, colClasses = {text})
# Text columns are factors with treatment coding; the base is the first level in sorted order.
for (name in names(data)) if (is.character(data[[name]]))
  data[[name]] <- factor(data[[name]], levels = sort(unique(data[[name]]), method = "radix"))
{response}{coded}formula <- {formula}
fit <- {call}
print(fit)
{compared}{means}"""
_BESIDE = """
theirs <- {estimates}
ours <- read.csv("{stem}estimates.csv")
places <- match(ours$r_term, names(theirs))
if (!anyNA(places)) theirs <- theirs[places]
print(data.frame(term = ours$term, ours = ours$estimate, R = theirs,
                 difference = ours$estimate - theirs), digits = 6, row.names = FALSE)
cat("log-likelihood: ours {value:.4f}, R", format(as.numeric(logLik(fit)), nsmall = 4), "\\n")
"""
_COMPARED = "Fits the model again in R and prints its estimates beside ours."
_ALONE = "Fits the model in R. Ours isn't given; the script says why."
_NOT_OURS = "No estimates of ours are given to compare R's with, which may be no sounder: "


def outcome_files(outcome: Outcome, *, stem: str = "") -> dict[str, str]:
    """Return the files of `refit_files`; without a fit a script that says why there is none."""
    if outcome.result is None:
        return {f"{stem}refit.R": _printed(outcome.why_not)}
    return refit_files(outcome.result, stem=stem)


def _printed(sentence: str) -> str:
    return f'cat({json.dumps(sentence, ensure_ascii=False)}, "\\n")\n'


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
        thresholds with standard errors; ``refit.R``. If the fit isn't sound, there are no
        estimates, and the script says why.
    """
    design = result.estimates.design
    table = design.recipe.frame.assign(**_slopes(design)).to_csv(index=False)
    files = {f"{stem}table.csv": table, f"{stem}refit.R": script(result, weights, stem=stem)}
    if not result.converged:
        return files
    thresholds = result.family_parameters if design.levels else ()
    rows = "".join(
        f"{_quoted(row.term)},{_quoted(r_term(row.term))},{row.estimate!r},{row.se!r}\n"
        for row in (*thresholds, *result.fixed)
    )
    return {**files, f"{stem}estimates.csv": f"term,r_term,estimate,se\n{rows}"}


def script(result: MixedResult, weights: str | None = None, *, stem: str = "") -> str:
    """Return the R script; parameters as in `refit_files`."""
    design = result.estimates.design
    mixed = bool(design.random)
    package, call = {**_CALLS, **({} if mixed else _PLAIN_CALLS)}[result.family]
    nodes = re.match(r".*\((\d+) nodes", result.engine)
    text_columns = [
        str(name)
        for name, cells in design.recipe.frame.items()
        if cells.dtype == object
        or (cells.dtype.kind in "iu" and cells.abs().max() >= LARGEST_EXACT)
    ]
    texts = [f'"{name}" = "character"' for name in text_columns]
    response = design.formula.partition("~")[0].strip()
    fixed = _fixed_part(design.formula)
    codings = list(_CODED.finditer(fixed))
    coded = {_bare(match[1]): _name(match) for match in codings}
    factors = [
        name
        for name in map(str, design.recipe.frame)
        if name in design.recipe.fixed.columns and (name in text_columns or name in coded)
    ]
    beside = _BESIDE.format(stem=stem, estimates=_estimates(package), value=result.log_likelihood)
    return _SCRIPT.format(
        what=_COMPARED if result.converged else _ALONE,
        why="" if result.converged else _printed(_NOT_OURS + result.fault),
        text=f"c({', '.join(texts)})" if texts else "NA",
        stem=stem,
        package=package,
        response=_ordered(response, design.levels),
        coded="".join(dict.fromkeys(map(_coding, codings))),
        formula=" + ".join((r_formula(fixed), *_bars(design))),
        call=call.format(
            more="" if weights is None else f", weights = `{weights}`",
            reml="TRUE" if result.criterion == "REML" else "FALSE",
            nodes=f", nAGQ = {nodes.group(1) if nodes else 1}, {_CONTROL}",
        ),
        compared=beside if result.converged else "",
        means=_means(design, factors, coded),
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
    frame = design.recipe.frame
    for factor in design.random:
        for block in factor.blocks:
            terms = [_slope(factor.terms[place], design) for place in block]
            groups = [factor.group] if factor.group in frame else factor.group.split(":")
            by = ":".join(map(_ticked, groups))
            yield f"({' + '.join(terms if '1' in terms else ['0', *terms])} | {by})"


def _slope(term: str, design: Design) -> str:
    if term == "(Intercept)":
        return "1"
    return _ticked(term) if term in design.recipe.frame else f"`{term}`"


def _ticked(name: str) -> str:
    return name if name.isidentifier() else f"`{name}`"


def _slopes(design: Design) -> dict[str, np.ndarray]:
    """Return the regressors of random slopes that the table has no column of, by their term."""
    return {
        term: factor.regressors[:, place]
        for factor in design.random
        for place, term in enumerate(factor.terms)
        if term != "(Intercept)" and term not in design.recipe.frame
    }


def _means(design: Design, factors: Sequence[str], coded: Mapping[str, str]) -> str:
    """Return the lines that print marginal means: of factors, and of columns with two values.

    `coded` names the script's own columns of factors with a coding, which emmeans doesn't find
    inside of a formula.
    """
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
    specs = dict.fromkeys(
        " * ".join(f"`{coded.get(name, name)}`" for name in names) for names in together + alone
    )
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
    text = _CODED.sub(_name, formula.replace("np.log(", "log("))
    return re.sub(r"\bC\(([^(),]+)\)", r"factor(\1)", text)


def _bare(name: str) -> str:
    return name.strip("`\"'")


def _name(match: re.Match[str]) -> str:
    """Return what the script calls a column with a coding, such as ``x_from_b`` or ``x_sum``."""
    name = f"{_bare(match[1])}_{'sum' if match[2] is None else f'from_{_bare(match[2])}'}"
    return re.sub(r"\W", "_", name)


def _coding(match: re.Match[str]) -> str:
    """Return the lines that make a column with a coding."""
    column, target = f"data[['{_bare(match[1])}']]", f"data${_name(match)}"
    if match[2] is not None:
        return f'{target} <- relevel(factor({column}), "{_bare(match[2])}")\n'
    return (
        f"{target} <- factor({column})\n"
        f"contrasts({target}) <- local({{\n  sums <- contr.sum(levels({target}))\n"
        f"  colnames(sums) <- head(levels({target}), -1)\n  sums\n}})\n"
    )


def _ordered(response: str, levels: tuple[str, ...]) -> str:
    if not levels:
        return ""
    name = response.strip("`")
    listed = ", ".join(f'"{level}"' for level in levels)
    return f"data[['{name}']] <- factor(data[['{name}']], levels = c({listed}), ordered = TRUE)\n"


def _estimates(package: str) -> str:
    if package == "lme4":
        return "fixef(fit)"
    return "fixef(fit)$cond" if package == "glmmTMB" else "coef(fit)"
