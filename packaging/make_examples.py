"""Write the built-in experiments to resources/examples: ``python packaging/make_examples.py [FOLDER]``.

Everything is built by hand or from a fixed seed and rounded, so that the files are readable and always the same.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from attnexplorer.experiment import model  # noqa: E402
from attnexplorer.experiment.arrays import Matrix, frozen, frozen_each  # noqa: E402
from attnexplorer.experiment.saving import save  # noqa: E402

Rows = Sequence[Sequence[float]]
CAUSAL = model.Mask(causal=True)
SENTENCE = ("The", "animal", "did", "not", "cross", "the", "street", "because", "it", "was", "tired")


def main(arguments: Sequence[str]) -> int:
    """Write every experiment to the folder named on the command line, or to resources/examples."""
    folder = Path(arguments[0]) if arguments else ROOT / "resources" / "examples"
    folder.mkdir(parents=True, exist_ok=True)
    for name, build in EXAMPLES.items():
        save(build(), folder / f"{name}.attn")
    print(f"{len(EXAMPLES)} experiments written to {folder}")
    return 0


def animal_street() -> model.Experiment:
    """Return the example of the file format."""
    words = ("animal", "street", "because", "it")
    eye = identity(2)
    attention = model.Attention(heads([[1, 1], [1, 1]]), heads(eye), heads(eye), mask=CAUSAL)
    pins = {
        "layers.0.key.0": frozen([[1.5, 1.0], [0.2, 0.8], [0.1, 0.1], [0.5, 0.5]]),
        "layers.0.value.0": frozen([[1.0, 0.2], [0.1, 1.0], [0.2, 0.1], [0.5, 0.5]]),
    }
    notes = (
        "One head, every number: *it* asks, and *animal* answers loudest. "
        "Keys and values are pinned; release a pin to see them computed from E again, or drag the scale."
    )
    table = [[0.9, 0.2], [0.1, 0.8], [0.2, 0.1], [0.5, 0.5]]
    made = experiment("The animal and the street", notes, words, words, table, attention)
    return replace(made, pins=MappingProxyType(pins))


def given_scores() -> model.Experiment:
    """Return three tokens whose scaled scores are given."""
    words = ("token 1", "token 2", "token 3")
    eye = heads(identity(3))
    attention = model.Attention(eye, eye, eye, mask=CAUSAL)
    none = math.nan
    pins = {"layers.0.scaled.0": frozen([[1.8, none, none], [0.4, 1.2, none], [0.1, 2.0, 0.7]])}
    notes = (
        "Attention can start anywhere: here the scaled scores are given. "
        "Change one and follow it through mask and softmax; each value is a unit vector, so the output is the weights."
    )
    return replace(
        experiment("Start from given scores", notes, words, words, identity(3), attention), pins=MappingProxyType(pins)
    )


def sky_is_blue() -> model.Experiment:
    """Return four tokens under a causal mask."""
    words = ("The", "sky", "is", "blue")
    table = [[0.1, 0.0, 1.0, 0.2], [1.0, 0.4, 0.1, 0.0], [0.0, 0.3, 0.6, 0.9], [0.7, 1.0, 0.0, 0.4]]
    query = [[1.0, 0.2], [0.3, 0.8], [0.4, 0.6], [0.2, 1.0]]
    key = [[1.2, 0.1], [0.2, 0.9], [0.1, 0.3], [0.4, 0.2]]
    value = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.5, 0.0, 0.5]]
    attention = model.Attention(heads(query), heads(key), heads(value), mask=CAUSAL)
    notes = (
        "Four tokens, and nobody sees the future: the third token may see the first, the second and itself. "
        "Switch the causal mask off, or block a single pair, and watch each row share its 100 % out again."
    )
    made = experiment("The sky is blue", notes, words, words, table, attention)
    return replace(made, position=model.Position("sinusoidal"))


# Columns: living thing, place, pronoun, state, verb, little word, cause, negation.
FEATURES = {
    "The": [0.05, 0.08, 0.0, 0.02, 0.0, 0.95, 0.0, 0.0],
    "animal": [1.0, 0.12, 0.05, 0.08, 0.03, 0.0, 0.02, 0.0],
    "did": [0.04, 0.0, 0.02, 0.1, 0.75, 0.4, 0.0, 0.06],
    "not": [0.0, 0.03, 0.0, 0.12, 0.1, 0.45, 0.08, 1.0],
    "cross": [0.2, 0.42, 0.0, 0.06, 1.0, 0.0, 0.04, 0.0],
    "the": [0.03, 0.1, 0.0, 0.0, 0.02, 1.0, 0.0, 0.0],
    "street": [0.06, 1.0, 0.04, 0.1, 0.05, 0.0, 0.0, 0.02],
    "because": [0.0, 0.02, 0.03, 0.15, 0.0, 0.35, 1.0, 0.05],
    "it": [0.3, 0.22, 1.0, 0.1, 0.0, 0.2, 0.04, 0.0],
    "was": [0.02, 0.03, 0.05, 0.4, 0.7, 0.3, 0.0, 0.0],
    "tired": [0.6, 0.02, 0.02, 1.0, 0.05, 0.0, 0.1, 0.02],
    "flooded": [0.02, 0.6, 0.0, 1.0, 0.15, 0.0, 0.1, 0.0],
}


def tired() -> model.Experiment:
    """Return the sentence that ends in *tired*."""
    notes = (
        "*it* looks mostly at *animal* and *street*. Open *flooded* beside it: only the last word differs, "
        "and under the causal mask the row of *it* is exactly the same. Switch the mask off and it is not."
    )
    return _animal_sentence("… because it was tired", notes, SENTENCE)


def flooded() -> model.Experiment:
    """Return the sentence that ends in *flooded*; nothing else differs."""
    notes = (
        "The twin of *tired*: only the last word differs, and it looks for the street where *tired* looks for the "
        "animal. The row of *it* cannot know yet, unless the causal mask is off."
    )
    return _animal_sentence("… because it was flooded", notes, (*SENTENCE[:-1], "flooded"))


def _animal_sentence(title: str, notes: str, tokens: Sequence[str]) -> model.Experiment:
    # What a feature asks for, and what it offers, in the four columns living thing, place, state, sentence frame.
    asks = [
        *([1.6, 0.0, 0.2, 0.1], [0.0, 1.6, 0.1, 0.1], [3.0, 2.5, 1.2, 0.0], [0.3, 0.3, 0.4, 0.1]),
        *([1.2, 0.8, 0.1, 0.3], [0.2, 0.2, 0.0, 0.8], [0.6, 0.6, 0.8, 0.4], [0.2, 0.1, 0.3, 0.6]),
    ]
    offers = [
        *([2.2, 0.0, 0.0, 0.2], [0.0, 2.2, 0.0, 0.1], [0.3, 0.2, 0.2, 0.3], [0.0, 0.0, 1.8, 0.0]),
        *([0.0, 0.0, 0.5, 0.9], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.3, 0.8], [0.0, 0.0, 0.2, 0.7]),
    ]
    value = [
        *([1.0, 0.0, 0.0, 0.1], [0.0, 1.0, 0.0, 0.1], [0.2, 0.2, 0.0, 0.3], [0.0, 0.0, 1.0, 0.0]),
        *([0.1, 0.0, 0.2, 0.6], [0.0, 0.0, 0.0, 0.4], [0.0, 0.1, 0.3, 0.5], [-0.2, -0.1, 0.0, 0.8]),
    ]
    attention = model.Attention(heads(asks), heads(offers), heads(value), mask=CAUSAL)
    return experiment(title, notes, tokens, tuple(FEATURES), list(FEATURES.values()), attention)


def dog_bites_man() -> model.Experiment:
    """Return three words without positions."""
    words = ("dog", "bites", "man")
    table = [[1.0, 0.1, 0.3], [0.0, 1.0, 0.2], [0.8, 0.2, -0.6]]
    query = [[0.9, 0.1], [1.4, -1.2], [0.2, 0.8]]
    key = [[1.1, 0.2], [0.3, 0.7], [0.4, -1.3]]
    value = [[1.0, 0.0], [0.3, 0.5], [0.0, 1.0]]
    attention = model.Attention(heads(query), heads(key), heads(value))
    notes = (
        "Without positions attention sees a bag of words. Reorder the tokens to *man bites dog*: each word keeps its "
        "output, and the map is the same but for the order. Then switch a position on and try again."
    )
    return experiment("Dog bites man", notes, words, words, table, attention)


def saturated() -> model.Experiment:
    """Return one wide head whose unscaled scores saturate."""
    draw = random.Random(64)
    words = tuple(dict.fromkeys(SENTENCE))
    width, d_k = 16, 64
    table = normal(draw, len(words), width, 1.0)
    query, key = (normal(draw, width, d_k, 0.25) for _ in range(2))
    value = normal(draw, width, 4, 0.25)
    attention = model.Attention(heads(query), heads(key), heads(value), scale="none")
    notes = (
        "One head with d_k = 64 and no scaling: dot products of 64 terms are so large that almost every row gives all "
        "its weight to one key. Set the scale to 1/√d_k and the rows open up again."
    )
    return experiment("Saturated", notes, SENTENCE, words, table, attention)


STORY = ("the", "cat", "saw", "the", "dog", "and", "the", "dog", "saw", "the", "cat", "run")
STORY_WORDS = ("the", "cat", "dog", "saw", "run", "and")
STORY_CLASS = (0, 1, 1, 2, 2, 3)  # determiner, noun, verb, conjunction
WIDTH, HALF, PERIOD = 48, 24, 24


def multi_head() -> model.Experiment:
    """Return twelve heads of width 4 that were built to do twelve different things."""
    draw = random.Random(12)
    built = [
        *(_step_back(1), _step_back(0), _step_back(2), _first_token(), _same_word(), _broad(draw)),
        *(_class_to_class({2: 1}, 5.0), _class_to_class({1: 0}, 5.0), _everyone_to(0), _recent()),
        *(_random_head(draw, 0.15), _random_head(draw, 0.4)),
    ]
    attention = model.Attention(
        W_Q=frozen_each(query for query, _, _ in built),
        W_K=frozen_each(key for _, key, _ in built),
        W_V=tuple(frozen(normal(draw, WIDTH, 4, 0.3)) for _ in built),
        b_Q=frozen_each(bias for _, _, bias in built),
        W_O=frozen(normal(draw, WIDTH, WIDTH, 0.15)),
        mask=CAUSAL,
    )
    notes = (
        "Twelve heads built by hand: one token back, oneself, two back, the first token, the same word, everything, "
        "verbs to nouns, nouns to determiners, everyone to *the*, the recent past, and two at random. "
        "Heads of trained models rarely have one such job: mute one and see what the output loses."
    )
    made = experiment("Twelve heads", notes, STORY, STORY_WORDS, _story_table(draw), attention)
    return replace(made, position=model.Position("learned", table=frozen(_circle_table(16))))


Head = tuple[Rows, Rows, Sequence[float]]


def _story_table(draw: random.Random) -> Rows:
    """Return word rows: columns 0 to 3 the class, 4 to 9 the word, 10 to 23 noise; the rest is left to position."""
    rows = []
    for word, kind in enumerate(STORY_CLASS):
        row = [0.0] * WIDTH
        row[kind] = row[4 + word] = 1.0
        row[10:HALF] = [round(draw.gauss(0, 0.4), 2) for _ in range(10, HALF)]
        rows.append(row)
    return rows


def _circle_table(positions: int) -> Rows:
    """Return position rows: in columns 24 to 47 twelve hands of a clock, hand k turning k steps a token."""
    return [[0.0] * HALF + [round(x, 3) for x in _hands(p, range(1, 13))] for p in range(positions)]


def _hands(position: float, speeds: Sequence[int]) -> list[float]:
    angles = [2 * math.pi * speed * position / PERIOD for speed in speeds]
    return [part for angle in angles for part in (math.cos(angle), math.sin(angle))]


def _hand_columns(speed: int) -> tuple[int, int]:
    return HALF + 2 * (speed - 1), HALF + 2 * (speed - 1) + 1


def _zeros() -> list[list[float]]:
    return [[0.0] * 4 for _ in range(WIDTH)]


def _step_back(steps: int, speeds: tuple[int, int] = (2, 7), gain: float = 5.0) -> Head:
    """Return a head whose query is the position turned back, so that it meets the key `steps` tokens ago."""
    query, key = _zeros(), _zeros()
    for pair, speed in enumerate(speeds):
        cosine, sine = _hand_columns(speed)
        turn_cos, turn_sin = _hands(steps, [speed])
        first, second = 2 * pair, 2 * pair + 1
        query[cosine][first] = query[sine][second] = round(gain * turn_cos, 2)
        query[sine][first], query[cosine][second] = round(gain * turn_sin, 2), round(-gain * turn_sin, 2)
        key[cosine][first] = key[sine][second] = 1.0
    return query, key, [0.0] * 4


def _first_token() -> Head:
    """Return a head with one query for all: the position 0."""
    _, key, _ = _step_back(0)
    return _zeros(), key, [6.0, 0.0, 6.0, 0.0]


def _recent() -> Head:
    """Return a head that prefers what is near, by the slowest hand alone."""
    return _step_back(0, (1, 1), 6.0)


def _same_word() -> Head:
    """Return a head in which words ask for themselves: six directions in four columns, far apart."""
    directions: Rows = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [-0.7, -0.7, 0, 0], [0, 0, -0.7, -0.7]]
    query, key = _zeros(), _zeros()
    for word, direction in enumerate(directions):
        query[4 + word] = [round(7.0 * part, 2) for part in direction]
        key[4 + word] = [float(part) for part in direction]
    return query, key, [0.0] * 4


def _broad(draw: random.Random) -> Head:
    """Return a head that hardly prefers anything."""
    return normal(draw, WIDTH, 4, 0.05), normal(draw, WIDTH, 4, 0.05), [0.0] * 4


def _class_to_class(wanted: dict[int, int], gain: float) -> Head:
    """Return a head in which one class of words asks for another."""
    query, key = _zeros(), _zeros()
    for kind in range(4):
        key[kind][kind] = 1.0
    for kind, other in wanted.items():
        query[kind][other] = gain
    return query, key, [0.0] * 4


def _everyone_to(kind: int) -> Head:
    """Return a head with one query for all: a class of words."""
    _, key, _ = _class_to_class({}, 0.0)
    return _zeros(), key, [4.0 if column == kind else 0.0 for column in range(4)]


def _random_head(draw: random.Random, spread: float) -> Head:
    return normal(draw, WIDTH, 4, spread), normal(draw, WIDTH, 4, spread), [0.0] * 4


def grouped_query() -> model.Experiment:
    """Return eight query heads that share two KV heads."""
    draw = random.Random(82)
    words = tuple(dict.fromkeys(SENTENCE))
    width, d_k = 16, 4
    attention = model.Attention(
        W_Q=tuple(frozen(normal(draw, width, d_k, 0.45)) for _ in range(8)),
        W_K=tuple(frozen(normal(draw, width, d_k, 0.45)) for _ in range(2)),
        W_V=tuple(frozen(normal(draw, width, d_k, 0.3)) for _ in range(2)),
        W_O=frozen(normal(draw, 8 * d_k, width, 0.2)),
        mask=CAUSAL,
    )
    notes = (
        "Eight query heads share two KV heads: heads 1 to 4 read the same keys and values, heads 5 to 8 the others. "
        "Change one key matrix and four heads answer."
    )
    table = normal(draw, len(words), width, 1.0)
    return experiment("Grouped queries", notes, SENTENCE, words, table, attention)


def cross_attention() -> model.Experiment:
    """Return an English sentence that looks at a French one."""
    english, french = ("I", "like", "black", "cats"), ("j'", "aime", "les", "chats", "noirs")
    # Columns: the speaker, liking, black, cat, several of them, French.
    table = [
        *([1.0, 0.1, 0.0, 0.0, 0.0, 0.0], [0.1, 1.0, 0.0, 0.1, 0.0, 0.0]),
        *([0.0, 0.0, 1.0, 0.2, 0.1, 0.0], [0.0, 0.1, 0.1, 1.0, 0.4, 0.0]),
        *([0.9, 0.1, 0.0, 0.0, 0.0, 1.0], [0.1, 0.9, 0.0, 0.0, 0.1, 1.0], [0.0, 0.0, 0.0, 0.2, 0.7, 1.0]),
        *([0.0, 0.0, 0.1, 0.9, 0.5, 1.0], [0.0, 0.0, 0.9, 0.1, 0.4, 1.0]),
    ]
    query = [[5.0 if row == column else 0.0 for column in range(4)] for row in range(6)]
    query[4] = [0.0, 0.0, 0.5, 1.5]
    key = [[1.0 if row == column else 0.0 for column in range(4)] for row in range(6)]
    key[4] = [0.0, 0.0, 0.0, 0.3]
    value = [[1.0 if row == column else 0.0 for column in range(6)] for row in range(6)]
    attention = model.Attention(heads(query), heads(key), heads(value))
    notes = (
        "Queries come from the English sentence, keys and values from the French one, so the map has 4 rows and 5 "
        "columns. The word order differs: *black* looks past *chats* at *noirs*."
    )
    made = experiment("Looking across", notes, english, english + french, table, attention)
    return replace(made, source=model.Source(french, (False,) * len(french)))


def rope() -> model.Experiment:
    """Return repeated words whose scores depend on distance only."""
    tokens = ("tick", "tock", "tick", "tock", "tick", "tock", "tick", "tock")
    table = [[1.0, 0.2, 0.6, 0.1], [0.3, 1.0, 0.1, 0.7]]
    query = [[2.0, 0.2, 0.4, 0.0], [0.3, 1.6, 0.0, 0.5], [0.5, 0.0, 1.8, 0.2], [0.0, 0.6, 0.1, 1.7]]
    key = [[1.0, 0.0, 0.2, 0.0], [0.1, 1.0, 0.0, 0.2], [0.3, 0.0, 1.0, 0.0], [0.0, 0.2, 0.1, 1.0]]
    attention = model.Attention(heads(query), heads(key), heads(identity(4)))
    notes = (
        "Rotary positions turn queries and keys, not the embeddings. The same two words at the same distance have the "
        "same score wherever they stand: read the diagonals, or change the offset and see that no score moves."
    )
    made = experiment("Rotary positions", notes, tokens, ("tick", "tock"), table, attention)
    return replace(made, position=model.Position("rope", base=100.0))


def alibi() -> model.Experiment:
    """Return eight equal heads that differ by their slope only."""
    tokens = ("one", "two", "three", "four", "five", "six", "seven", "eight")
    draw = random.Random(8)
    query, key = (normal(draw, 4, 2, 0.25) for _ in range(2))
    table = normal(draw, len(tokens), 4, 1.0)
    value = normal(draw, 4, 2, 0.5)
    shared = [frozen_each([matrix] * 8) for matrix in (query, key, value)]
    attention = model.Attention(shared[0], shared[1], shared[2], mask=CAUSAL)
    notes = (
        "Eight heads with the very same matrices: all that differs is how steeply ALiBi lowers a score with distance. "
        "The first head leans on what is near, the last one hardly minds the distance."
    )
    made = experiment("A slope a head", notes, tokens, tokens, table, attention)
    return replace(made, position=model.Position("alibi"))


def block() -> model.Experiment:
    """Return two whole blocks with norms, sums, FFNs and a tied unembedding."""
    draw = random.Random(2)
    tokens = ("the", "cat", "sat", "on", "the")
    words = ("the", "cat", "sat", "on", "mat", "dog", "ran", "home")
    table = normal(draw, len(words), 8, 0.8)
    layers = tuple(_block_layer(draw) for _ in range(2))
    notes = (
        "Two pre-norm blocks with residual sums and FFNs, then a final norm and the embedding again as unembedding. "
        "Follow a token's vector from layer to layer; the probabilities come from untrained numbers and mean nothing."
    )
    made = experiment("Two whole blocks", notes, tokens, words, table, layers[0].attention)
    return replace(
        made,
        position=model.Position("sinusoidal"),
        layers=layers,
        final_norm=model.FinalNorm("layernorm", frozen([1.0] * 8), frozen([0.0] * 8)),
        unembedding=model.Unembedding(),
    )


def _block_layer(draw: random.Random) -> model.Layer:
    query, key, value = (tuple(frozen(normal(draw, 8, 4, 0.5)) for _ in range(2)) for _ in range(3))
    attention = model.Attention(
        W_Q=query,
        W_K=key,
        W_V=value,
        W_O=frozen(normal(draw, 8, 8, 0.3)),
        b_O=frozen([0.0] * 8),
        mask=CAUSAL,
    )
    ffn = model.FeedForward(
        activation="gelu",
        W_1=frozen(normal(draw, 8, 16, 0.35)),
        b_1=frozen([0.0] * 16),
        W_2=frozen(normal(draw, 16, 8, 0.25)),
        b_2=frozen([0.0] * 8),
    )
    norm = model.Norm("layernorm", "pre", frozen_each([[1.0] * 8] * 2), frozen_each([[0.0] * 8] * 2))
    return model.Layer(attention, norm, residual=True, ffn=ffn)


def experiment(
    title: str,
    notes: str,
    tokens: Sequence[str],
    vocabulary: Sequence[str],
    table: Rows,
    attention: model.Attention,
) -> model.Experiment:
    """Return an experiment with one layer of attention and nothing else."""
    return model.Experiment(
        title=title,
        notes=notes,
        sequence=model.Sequence(tuple(tokens), (False,) * len(tokens)),
        embedding=model.Embedding(tuple(vocabulary), frozen(table)),
        layers=(model.Layer(attention),),
    )


def heads(*matrices: Rows) -> tuple[Matrix, ...]:
    """Return a matrix a head."""
    return frozen_each(matrices)


def identity(width: int) -> Rows:
    """Return the identity matrix."""
    return [[1.0 if row == column else 0.0 for column in range(width)] for row in range(width)]


def normal(draw: random.Random, rows: int, columns: int, spread: float) -> Rows:
    """Return normally distributed numbers with two decimals."""
    return [[round(draw.gauss(0.0, spread), 2) + 0.0 for _ in range(columns)] for _ in range(rows)]


EXAMPLES: dict[str, Callable[[], model.Experiment]] = {
    "animal-street": animal_street,
    "given-scores": given_scores,
    "sky-is-blue": sky_is_blue,
    "tired": tired,
    "flooded": flooded,
    "dog-bites-man": dog_bites_man,
    "saturated": saturated,
    "multi-head": multi_head,
    "grouped-query": grouped_query,
    "cross-attention": cross_attention,
    "rope": rope,
    "alibi": alibi,
    "block": block,
}

if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
