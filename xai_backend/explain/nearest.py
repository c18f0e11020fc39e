"""The example that a network finds most like a photograph, for each of several photographs."""

from collections.abc import Collection, Sequence

import numpy as np
import torch
from torch import Tensor

from xai_backend.explain.overlay import png_of
from xai_backend.explain.request import PhotosRequest
from xai_backend.explain.working import Job, Photo, working
from xai_backend.methods.nearest_neighbours import NearestNeighbours
from xai_backend.models.classifier import Classifier
from xai_backend.models.frame import photos_in
from xai_backend.models.image_model import as_images
from xai_backend.progress import Reporter


def nearest_examples(
    request: PhotosRequest, examples: Collection[str], reporter: Reporter
) -> tuple[dict[str, bytes], Classifier]:
    """Return the nearest example of each other photograph as PNG by its stem, and the network.

    It is of the class that the network answers, and shown as the network sees it.

    Parameters
    ----------
    request
        The network, and the folder with all photographs.
    examples
        Stems of those to choose from.
    reporter
        Shows progress.

    Returns
    -------
    tuple
        Without the photographs of whose class there is no example.
    """
    method = NearestNeighbours(count=1)
    with working(request, photos_in(request.images), (), reporter) as job:
        photos = {photo.stem: photo for photo in job.album.photos()}
    known = [photo for stem, photo in photos.items() if stem in examples]
    asked = [photo for stem, photo in photos.items() if stem not in examples]
    model, (classes, answered) = (
        job.classifier.model,
        (_classes(job, group) for group in (known, asked)),
    )
    names = [photo.stem for photo in known]
    references = method.references(model, [(names, _images(known), classes)])
    neighbours = method.neighbours(model, _images(asked), answered, references)
    pictures = {
        photo.stem: png_of(photos[near[0].name].codes)
        for photo, near in zip(asked, neighbours, strict=True)
        if near
    }
    return pictures, job.classifier


def _classes(job: Job, photos: Sequence[Photo]) -> Tensor:
    return torch.tensor([job.answers[photo.stem].target for photo in photos])


def _images(photos: Sequence[Photo]) -> Tensor:
    return as_images(torch.from_numpy(np.stack([photo.codes for photo in photos])))
