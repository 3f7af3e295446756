"""What is raised when an experiment, a file or an edit cannot be accepted."""

from __future__ import annotations


class ExperimentError(ValueError):
    """An experiment that breaks a rule of the format: one plain sentence that names the place and what was expected.

    Parameters
    ----------
    place
        Where, as a path into the file: ``layers[0].attention.W_K[0]``; empty for the file as a whole.
    message
        What is wrong and what was expected there, so that ``place message`` reads as a sentence.
    """

    def __init__(self, place: str, message: str) -> None:
        super().__init__(f"{place} {message}" if place else message)
        self.place = place
        self.message = message


class FileError(ExperimentError):
    """A file that cannot be read or written, or that holds no valid experiment; the sentence starts with its name."""

    def __init__(self, file_name: str, sentence: str) -> None:
        super().__init__("", f"{file_name}: {sentence}")
        self.file_name = file_name
        self.sentence = sentence
