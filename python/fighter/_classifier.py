# SPDX-License-Identifier: BSD-3-Clause
"""Classifiers of texts and images in scikit-learn's manner."""

from __future__ import annotations

import ctypes as C
import os
from typing import Any, Optional, TypeVar, Union

import numpy as np

from . import _api as api
from ._estimator import Estimator, NotFittedError, count_threads, draw_seed, from_sklearn, save_to_bytes
from ._library import Context, DataError, Handle, lib, path_bytes, texts, view
from ._option_table import check_traits, fill
from ._progress import Progress
from ._samples import read_images, read_labels, read_texts, split_rows
from ._train import Selector

Array = np.ndarray[Any, Any]
Path = Union[str, 'os.PathLike[str]']
Self = TypeVar('Self', bound='_Classifier')
MANY = 10000   # so many texts or more: a share of them is for validation, as in fighter-classify
PASSES = 128   # batches of a prediction between two looks for Ctrl-C


class _Classifier(Estimator):
    """Steps that texts and images share; they are the steps of the program fighter-classify."""

    _estimator_type = 'classifier' # scikit-learn before 1.6
    _set: str    # of the library's functions for the samples: corpus or images
    _field: str  # of fgt_samples
    model: str
    epochs: Optional[int]
    patience: Optional[int]
    batch: Optional[int]
    validation_fraction: Optional[float]
    members: int
    attent: Union[bool, str, Selector]
    random_state: Any
    n_jobs: Optional[int]
    verbose: Optional[bool]
    _classifier: Handle

    # ---- for texts and for images ----

    def _read(self, X: Any) -> Any:
        """The samples as the library takes them, or an exception."""
        raise NotImplementedError

    def _make_set(self, context: Context, rows: Any, classes: list[Any], codes: Array) -> Handle:
        """A corpus, or a set of images."""
        raise NotImplementedError

    def _create(self, context: Context, train: Handle, seed: int) -> Handle:
        """A classifier with its first weights."""
        raise NotImplementedError

    def _rows_of(self, context: Context, rows: Any) -> Any:
        """The fgt_classifier_rows of samples."""
        raise NotImplementedError

    # ---- training ----

    def fit(self: Self, X: Any, y: Any) -> Self:
        """Trains a new model.

        Parameters
        ----------
        X : sequence of str, or array of images
            The samples, see the class.
        y : sequence
            The class of each sample: numbers or words.

        Returns
        -------
        self
            Ctrl-C raises KeyboardInterrupt; the estimator then is as before the call.
        """
        rows = self._read(X)
        classes, codes = read_labels(y, len(rows))
        self._check()
        context = Context(count_threads(self.n_jobs))
        seed = draw_seed(self.random_state)
        everything = self._make_set(context, rows, classes.tolist(), codes)
        info = getattr(api, f'fgt_{self._set}_info')()
        context.call(f'fgt_{self._set}_get_info', everything.pointer, C.byref(info))
        if info.classes != len(classes):
            raise DataError(f'y: classes differ only in blanks or in the character NUL (got {len(classes)} classes, of '
                            f'which {info.classes} can be told apart)')
        share = self.validation_fraction
        if share is None:
            share = 0.05 if self._field == 'texts' and len(rows) >= MANY else 0
        if not 0 <= share <= 0.9:
            raise ValueError(f'validation_fraction: is out of range (got {share:g}, need 0 to 0.9)')
        check, train = (self._subset(everything, r) for r in split_rows(len(rows), share, seed))
        assert train is not None
        del everything
        progress = Progress(self._field, self.verbose)
        first, report = self._fit_member(context, train, check, seed, progress)
        for member in range(1, self.members):
            other, _ = self._fit_member(context, train, check, seed + (member << 32), progress)
            context.call('fgt_classifier_take_members', first.pointer, other.out)
        self._classifier, self.classes_ = first, classes
        self.n_iter_, self.best_loss_, self.history_ = report.epochs, report.best_loss, progress.history
        self._note_shape()
        return self

    def _check(self) -> None:
        if self.patience == 0:
            raise ValueError('patience: is 0 (need 1 or more epochs, or -1 to never stop early)')
        if self.members < 1:
            raise ValueError(f'members: is out of range (got {self.members}, need 1 or more)')

    def _subset(self, everything: Handle, rows: Array) -> Optional[Handle]:
        if not len(rows):
            return None
        part = Handle(everything.context, f'fgt_{self._set}')
        everything.context.call(f'fgt_{self._set}_create_subset', everything.pointer,
                                rows.ctypes.data_as(C.POINTER(C.c_int64)), len(rows), part.out)
        return part

    def _samples(self, samples: Optional[Handle]) -> Any:
        return api.fgt_samples(**({self._field: samples.pointer} if samples else {}))

    def _fit_member(self, context: Context, train: Handle, check: Optional[Handle], seed: int,
                    progress: Progress) -> tuple[Handle, Any]:
        opts = fill(api.fgt_classifier_fit_opts(), 'fgt_classifier_get_fit_option', self.get_params())
        classifier = self._create(context, train, seed)
        guarded = api.fgt_progress_fn(context.guard(progress, 1))
        selector = self._select(classifier, train, seed)
        opts.training.progress, opts.training.seed, opts.training.batch = guarded, seed, 0
        opts.training.selector = selector.pointer if selector else None
        report = api.fgt_fit_report()
        try:
            context.call('fgt_classifier_fit', classifier.pointer, C.byref(self._samples(train)),
                         C.byref(self._samples(check)), C.byref(opts), C.byref(report))
        finally:
            progress.close()
        return classifier, report

    def _select(self, classifier: Handle, train: Handle, seed: int) -> Optional[Handle]:
        """A selector of training samples by AtteNT; groups are the classes."""
        if not self.attent:
            return None
        name: Any = 'soft' if self.attent is True else self.attent
        given = name if isinstance(name, Selector) else Selector(strategy=name.replace('-', '_'))
        info = getattr(api, f'fgt_{self._set}_info')()
        train.context.call(f'fgt_{self._set}_get_info', train.pointer, C.byref(info))
        count = info.rows if self._set == 'corpus' else info.count
        asked = given._own or given._values
        values: dict[str, Any] = {**asked, 'seed': asked['seed'] or seed}
        if values['strategy'] in ('class_weight', 'fixed_weight'):
            values['groups'] = np.ctypeslib.as_array(info.row_classes, (count,))
        epochs = self.epochs or lib.fgt_classifier_count_epochs(classifier.pointer, count, self.batch or 0)
        return Selector(**values)._begin_fit(train.context, count, epochs)

    # ---- prediction ----

    def _need_fit(self) -> Handle:
        handle: Optional[Handle] = vars(self).get('_classifier')
        if handle is None:
            raise from_sklearn('NotFittedError', NotFittedError)(
                f'{type(self).__name__}: is not fitted yet; call fit or load first')
        return handle

    def predict_proba(self, X: Any) -> Array:
        """Probabilities of the classes.

        Parameters
        ----------
        X : sequence of str, or array of images
            The samples.

        Returns
        -------
        ndarray of float32, shape (n, classes)
            Columns are in the order of `classes_`.
        """
        classifier = self._need_fit()
        rows = self._read(X)
        self._check_shape(rows)
        n, step = len(rows), PASSES * 64
        out = np.empty((n, len(self.classes_)), np.float32)
        for i in range(0, n, step):
            part = self._rows_of(classifier.context, rows[i:i + step])
            classifier.context.call('fgt_classifier_predict', classifier.pointer, C.byref(part),
                                    C.byref(view(out[i:i + step])), None)
        return out

    def predict(self, X: Any) -> Array:
        """The most probable class of each sample.

        Parameters
        ----------
        X : sequence of str, or array of images
            The samples.
        """
        probability = self.predict_proba(X)
        found: Array = self.classes_[probability.argmax(1)]
        return found

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of samples whose class is predicted.

        Parameters
        ----------
        X : sequence of str, or array of images
            The samples.
        y : sequence
            Their classes.
        sample_weight : sequence of float, optional
            Weight of each sample in the mean.
        """
        found, y = self.predict(X), np.asarray(y).ravel()
        if len(found) != len(y):
            raise DataError(f'score: X and y have different lengths (got {len(found)} and {len(y)})')
        return float(np.average(found == y, weights=sample_weight))

    def _note_shape(self) -> None:
        """Sets attributes about the shape of samples."""

    def _check_shape(self, rows: Any) -> None:
        """Refuses samples of another shape."""

    # ---- files ----

    def save(self, path: Path) -> None:
        """Writes the model to a file, which the program fighter-classify also reads.

        The file has no parameters of the estimator; pickle keeps them. Classes are read back as int if all are
        whole numbers, otherwise as str.

        Parameters
        ----------
        path : str or path
            Such as ``news.safetensors``.
        """
        handle = self._need_fit()
        handle.context.call('fgt_classifier_save', handle.pointer, C.byref(api.fgt_output(path=path_bytes(path))))

    @classmethod
    def load(cls: type[Self], path: Path, **params: Any) -> Self:
        """Reads the model of a file that `save` or the program fighter-classify wrote.

        Parameters
        ----------
        path : str or path
            The file.
        **params
            Parameters of the constructor, such as ``n_jobs``; all but n_jobs and batch count only from the next fit on.
        """
        made = cls(**params)
        made._open(api.fgt_input(path=path_bytes(path)))
        names = [lib.fgt_classifier_get_class_name(made._classifier.pointer, i).decode()
                 for i in range(made._get_info().classes)]
        try:
            numbers = [int(n) for n in names]
        except ValueError:
            numbers = []
        made.classes_ = np.array(numbers if names == [str(n) for n in numbers] else names)
        made._note_shape()
        return made

    def _open(self, source: Any) -> None:
        context, opts = Context(count_threads(self.n_jobs)), api.fgt_load_opts(batch=self.batch or 0)
        self._classifier = Handle(context, 'fgt_classifier')
        context.call('fgt_classifier_load', context.pointer, C.byref(source), C.byref(opts), self._classifier.out)
        if bool(self._get_info().height) != (self._field == 'images'):
            raise DataError(f'{type(self).__name__}: the file has no classifier of {self._field}')
        if lib.fgt_classifier_has_labels(self._classifier.pointer):
            raise DataError(f'{type(self).__name__}: the file has a classifier with several labels a text (need one)')

    def _get_info(self) -> Any:
        info = api.fgt_classifier_info()
        self._classifier.context.call('fgt_classifier_get_info', self._classifier.pointer, C.byref(info))
        return info

    def __getstate__(self) -> dict[str, Any]:
        state = dict(vars(self))
        if '_classifier' in state:
            handle = self._classifier
            state['_classifier'] = save_to_bytes(handle.context, 'fgt_classifier_save', handle.pointer)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        model = state.pop('_classifier', None)
        vars(self).update(state)
        if model is not None:
            self._open(api.fgt_input(data=C.cast(C.c_char_p(model), C.c_void_p), bytes=len(model)))

    # ---- scikit-learn ----

    def __sklearn_tags__(self) -> Any:
        from sklearn import utils
        samples = utils.InputTags(two_d_array=False, three_d_array=self._field == 'images',
                                  string=self._field == 'texts')
        return utils.Tags(estimator_type='classifier', target_tags=utils.TargetTags(required=True),
                          transformer_tags=None, classifier_tags=utils.ClassifierTags(), regressor_tags=None,
                          input_tags=samples)

    def _more_tags(self) -> dict[str, Any]:
        return {'X_types': ['string' if self._field == 'texts' else '3darray'], 'requires_y': True}


class TextClassifier(_Classifier):
    """A classifier of texts.

    The steps and the results are those of the program fighter-classify: the same texts, classes and options give the
    same weights. A parameter that is None has the program's default. X is a list, an array or a Series of str; a text
    without words is allowed in predictions only. Backslashes in a text are line breaks that were escaped, as in the
    files of AG News, and become blanks.

    Parameters
    ----------
    model : str
        Layers: fighter, linear, transformer, gru, ... .
    hops : int, optional
        Hops of every Fighter layer; default 3.
    dim : int, optional
        Width of a token; default 64, but 32 for fighter and up to 4 classes.
    heads : int, optional
        Attention heads; default 4.
    act : str, optional
        Activation of each layer: relu, gelu, none, ... .
    layers : int, optional
        Number of layers; default 1.
    max_tokens : int, optional
        Number of ids of a text that the model reads; default 64.
    dropout : float, optional
        Probability in training; 0 is none; default 0.6.
    init : float, optional
        Standard deviation of the first embeddings; default 0.03, with pretrain 0.06.
    pretrain : int, optional
        Passes over the texts that find the first embeddings; default 0, random ones.
    diag_mask : bool
        No token reads itself.
    diag_penalty, diag_dropout : float, optional
        Added to a token's score for itself; probability in training that a token does not read itself.
    ngrams, buckets, prefix, letters : int, optional
        Of the vocabulary: longest runs of words with ids; ids that such runs share; characters of prefixes with ids;
        longest runs of letters with ids. Defaults are chosen by the texts.
    punctuation : bool
        Punctuation marks are words.
    epochs : int, optional
        Most epochs; the default makes about 750 steps.
    patience : int, optional
        Epochs without progress after which training stops; -1: never; default: 2 or, without `epochs`, half of the
        epochs if that is more.
    batch : int, optional
        Texts in a step; default 32.
    lr : float, optional
        First learning rate; default 0.002.
    balance : float, optional
        A class with fewer than `balance` times the samples of the largest is predicted as if it had so many;
        default 0.1.
    label_smoothing : float, optional
        Default 0.1.
    validation_fraction : float, optional
        Share of the texts that decides when training stops; default 0.05, but 0 of fewer than 10000 texts.
    members : int
        Models with different seeds whose logits are averaged.
    attent : bool, str or Selector
        Selection of training samples by AtteNT, by name or with further options; True is "soft". Groups are the
        classes.
    random_state : int, Generator, RandomState or None
        Seed. None: another one for each fit.
    n_jobs : int, optional
        Threads; default: all processors, or as many as joblib gives to each of its workers. Results do not depend
        on it.
    verbose : bool, optional
        Whether a bar shows the progress; default: on a terminal and in a notebook.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    n_iter_ : int
        Number of epochs.
    best_loss_ : float
        Lowest validation loss; NaN without validation.
    history_ : list of dict
        Losses of each epoch.

    Notes
    -----
    scikit-learn's check_estimator has no checks for texts, which the tags say; tests run its checks on rows of numbers
    that become texts. Samples have no weights, and there is no `n_features_in_`, because texts have no columns.

    Examples
    --------
    >>> from fighter import TextClassifier
    >>> news = TextClassifier(epochs=3).fit(texts, labels)  # doctest: +SKIP
    >>> news.predict(['Oil prices fell on Monday'])         # doctest: +SKIP
    """

    _set, _field = 'corpus', 'texts'

    def __init__(self, *, model: str = 'fighter', hops: Optional[int] = None, dim: Optional[int] = None,
                 heads: Optional[int] = None, act: Optional[str] = None, layers: Optional[int] = None,
                 max_tokens: Optional[int] = None, dropout: Optional[float] = None, init: Optional[float] = None,
                 pretrain: Optional[int] = None, diag_mask: bool = False, diag_penalty: Optional[float] = None,
                 diag_dropout: Optional[float] = None, ngrams: Optional[int] = None, buckets: Optional[int] = None,
                 prefix: Optional[int] = None, letters: Optional[int] = None, punctuation: bool = False,
                 epochs: Optional[int] = None, patience: Optional[int] = None, batch: Optional[int] = None,
                 lr: Optional[float] = None, balance: Optional[float] = None,
                 label_smoothing: Optional[float] = None, validation_fraction: Optional[float] = None,
                 members: int = 1, attent: Union[bool, str, Selector] = False, random_state: Any = 1,
                 n_jobs: Optional[int] = None, verbose: Optional[bool] = None) -> None:
        self.model, self.hops, self.dim, self.heads, self.act, self.layers = model, hops, dim, heads, act, layers
        self.max_tokens, self.dropout, self.init, self.pretrain = max_tokens, dropout, init, pretrain
        self.diag_mask, self.diag_penalty, self.diag_dropout = diag_mask, diag_penalty, diag_dropout
        self.ngrams, self.buckets, self.prefix, self.letters = ngrams, buckets, prefix, letters
        self.punctuation, self.epochs, self.patience, self.batch, self.lr = punctuation, epochs, patience, batch, lr
        self.balance, self.label_smoothing, self.validation_fraction = balance, label_smoothing, validation_fraction
        self.members, self.attent, self.random_state = members, attent, random_state
        self.n_jobs, self.verbose = n_jobs, verbose

    def _read(self, X: Any) -> list[bytes]:
        return read_texts(X)

    def _make_corpus(self, context: Context, rows: list[bytes], labels: Optional[list[bytes]],
                     **fields: int) -> Handle:
        corpus = Handle(context, 'fgt_corpus')
        n = len(rows)
        context.call('fgt_corpus_create', context.pointer, (C.c_char_p * n)(*rows),
                     (C.c_char_p * n)(*labels) if labels else None, n, C.byref(api.fgt_corpus_opts(**fields)),
                     corpus.out)
        return corpus

    def _make_set(self, context: Context, rows: Any, classes: list[Any], codes: Array) -> Handle:
        numbers = all(isinstance(c, (int, float)) and not isinstance(c, bool) and abs(c) < 1 << 31 for c in classes)
        words = all(isinstance(c, str) for c in classes)
        # Other classes, such as dates, are numbers for the library.
        names = [(str(int(c)) if numbers else c if words else str(i)).encode() for i, c in enumerate(classes)]
        kind = api.FGT_CLASS_KIND_NAME if words else api.FGT_CLASS_KIND_NUMBER
        return self._make_corpus(context, rows, [names[c] for c in codes], class_kind=kind)

    def _create(self, context: Context, train: Handle, seed: int) -> Handle:
        params = self.get_params()
        opts = fill(api.fgt_classifier_opts(), 'fgt_classifier_get_option', params)
        check_traits('fgt_classifier_get_option', params, opts.block.kind)
        vocab = api.fgt_vocab_opts()
        context.call('fgt_classifier_choose_vocab', train.pointer, opts.block.kind, C.byref(vocab))
        vocab.ngrams = self.ngrams or vocab.ngrams
        if self.buckets is not None or vocab.ngrams < 2:
            vocab.buckets = 0 if vocab.ngrams < 2 else self.buckets
        if self.letters is not None:
            vocab.letters = self.letters
        vocab.punctuation, vocab.prefix = self.punctuation, self.prefix or 0
        opts.batch, opts.seed, opts.vocab = self.batch or 0, seed, C.pointer(vocab)
        classifier = Handle(context, 'fgt_classifier')
        context.call('fgt_classifier_create', context.pointer, C.byref(self._samples(train)), C.byref(opts),
                     classifier.out)
        return classifier

    def _rows_of(self, context: Context, rows: list[bytes]) -> Any:
        n = len(rows)
        if any(b'\\' in row for row in rows): # line breaks that were escaped: the text as in the training
            corpus = self._make_corpus(context, rows, None, no_classes=1)
            rows = [lib.fgt_corpus_get_text(corpus.pointer, i) for i in range(n)]
        return api.fgt_classifier_rows(texts=(C.c_char_p * n)(*rows), text_count=n)


class ImageClassifier(_Classifier):
    """A classifier of images: a Vision Transformer, with or without Fighter layers.

    The steps and the results are those of the program fighter-classify. A parameter that is None has the program's
    default. X is an array [n, rows, columns] of gray images, or [n, rows, columns, channels] with 1 or 3 channels.
    Pixels are whole numbers 0 to 255, of any type; the library standardises them.

    Parameters
    ----------
    model : str
        transformer or fighter.
    hops : int, optional
        Hops of every Fighter layer; default 3.
    dim : int, optional
        Width of a token; default 64.
    heads : int, optional
        Attention heads; default 4.
    act : str, optional
        Activation, with `whole`.
    layers : int, optional
        Number of layers; default 4.
    patch : int, optional
        Rows and columns of a patch, which is a token; default: the least from 4 on that divides the images.
    whole : bool
        For fighter: only Fighter layers, without feed-forward parts.
    dropout : float, optional
        Probability in training; 0 is none; default 0.1.
    epochs, patience, batch : int, optional
        Most epochs, default 30; epochs without progress after which training stops, default -1, never; images in a
        step, default 64.
    lr : float, optional
        First learning rate; default 0.002.
    balance : float, optional
        As for texts; default 0.
    label_smoothing : float, optional
        Default 0.1.
    shift : int, optional
        In training move each image by up to so many pixels; default: the 14th part of the shorter side.
    flip : bool
        In training mirror images left to right at random.
    validation_fraction : float, optional
        Share of the images that decides when training stops; default 0.
    members, attent, random_state, n_jobs, verbose
        As in TextClassifier.

    Attributes
    ----------
    classes_, n_iter_, best_loss_, history_
        As in TextClassifier.
    image_shape_ : tuple
        Rows, columns and channels of an image.

    Notes
    -----
    scikit-learn's check_estimator has no checks for images, which the tags say; tests run its checks on rows of numbers
    that become images. There is no `n_features_in_`: `image_shape_` has the shape.
    """

    _set, _field = 'images', 'images'

    def __init__(self, *, model: str = 'transformer', hops: Optional[int] = None, dim: Optional[int] = None,
                 heads: Optional[int] = None, act: Optional[str] = None, layers: Optional[int] = None,
                 patch: Optional[int] = None, whole: bool = False, dropout: Optional[float] = None,
                 epochs: Optional[int] = None, patience: Optional[int] = None, batch: Optional[int] = None,
                 lr: Optional[float] = None, balance: Optional[float] = None,
                 label_smoothing: Optional[float] = None, shift: Optional[int] = None, flip: bool = False,
                 validation_fraction: Optional[float] = None, members: int = 1,
                 attent: Union[bool, str, Selector] = False, random_state: Any = 1, n_jobs: Optional[int] = None,
                 verbose: Optional[bool] = None) -> None:
        self.model, self.hops, self.dim, self.heads, self.act, self.layers = model, hops, dim, heads, act, layers
        self.patch, self.whole, self.dropout, self.epochs, self.patience = patch, whole, dropout, epochs, patience
        self.batch, self.lr, self.balance, self.label_smoothing = batch, lr, balance, label_smoothing
        self.shift, self.flip, self.validation_fraction = shift, flip, validation_fraction
        self.members, self.attent, self.random_state = members, attent, random_state
        self.n_jobs, self.verbose = n_jobs, verbose

    def _read(self, X: Any) -> Array:
        return read_images(X)

    def _check(self) -> None:
        super()._check()
        if self.model not in ('transformer', 'fighter'):
            raise ValueError(f"model: is not for images (got {self.model!r}, need 'transformer' or 'fighter')")
        if (self.hops or self.whole) and self.model != 'fighter':
            raise ValueError("model: hops and whole are for 'fighter'")
        if self.act and not self.whole:
            raise ValueError("act: needs model='fighter' and whole=True")

    def _make_set(self, context: Context, rows: Any, classes: list[Any], codes: Array) -> Handle:
        names, labels = texts(str(int(c) if isinstance(c, float) else c) for c in classes), codes.astype(np.int64)
        opts = api.fgt_images_opts(class_names=names, class_name_count=len(classes))
        images = Handle(context, 'fgt_images')
        context.call('fgt_images_create', context.pointer, C.byref(view(rows)), C.byref(view(labels)),
                     C.byref(opts), images.out)
        return images

    def _create(self, context: Context, train: Handle, seed: int) -> Handle:
        opts = fill(api.fgt_classifier_opts(), 'fgt_classifier_get_option', self.get_params())
        block = opts.block
        vit = api.fgt_vit_opts(patch_height=self.patch or 0, dim=opts.dim, layers=block.layers, heads=block.heads,
                               hops=block.hops, act=block.act,
                               dropout=0.1 if self.dropout is None else self.dropout)
        if self.model == 'fighter':
            vit.fighter = api.FGT_VIT_FIGHTER_WHOLE if self.whole else api.FGT_VIT_FIGHTER_MIXES
        opts = api.fgt_classifier_opts(batch=self.batch or 0, seed=seed, vit=C.pointer(vit))
        opts.block.dropout = block.dropout
        classifier = Handle(context, 'fgt_classifier')
        context.call('fgt_classifier_create', context.pointer, C.byref(self._samples(train)), C.byref(opts),
                     classifier.out)
        return classifier

    def _rows_of(self, context: Context, rows: Array) -> Any:
        return api.fgt_classifier_rows(pixels=C.pointer(view(rows)))

    def _note_shape(self) -> None:
        info = self._get_info()
        self.image_shape_ = info.height, info.width, info.channels

    def _check_shape(self, rows: Array) -> None:
        if rows.shape[1:] != self.image_shape_:
            raise DataError(f'X: images have another shape (got {list(rows.shape[1:])}, '
                            f'need {list(self.image_shape_)})')
