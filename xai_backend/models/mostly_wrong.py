"""A network that is mostly wrong: a caution, before people see what explains its answers."""

from xai_backend.progress import Reporter


def say_if_mostly_wrong(reporter: Reporter, network: str, right: int, labelled: int) -> None:
    """Say the caution about a network that is wrong on most labelled images; see below."""
    told = caution_of_errors(network, right, labelled)
    if told:
        reporter.say(f"caution: {told}")


def caution_of_errors(network: str, right: int, labelled: int) -> str | None:
    """Return the caution about a network that is wrong on most labelled images; None for others.

    Parameters
    ----------
    network
        Its name.
    right
        On how many images it gives the label.
    labelled
        How many images have a label.
    """
    if 2 * right >= labelled:
        return None
    return (
        f"{network} is right on {right} of {labelled} labelled images. If you expect more, check "
        "that its classes are named in the order of its outputs, and that its pictures are "
        "prepared as in training: classes, side_px, resize_px, fit, mean and std in its settings "
        "file (docs/models.md)"
    )
