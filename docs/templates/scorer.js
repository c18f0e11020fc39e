/* Sphinx's own weights; but a heading that has all words in their order comes first. */
const HEADING_FIRST = 1000;
var Scorer = {
  score: ([docname, title, anchor, descr, score, filename, kind]) =>
    kind === "title" || kind === "index" ? score + HEADING_FIRST : score,
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
