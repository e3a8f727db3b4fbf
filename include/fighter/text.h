/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FIGHTER_TEXT_H
#define FIGHTER_TEXT_H

/** @file text.h
 *  From labelled texts to ids: corpora, vocabularies, encoded samples.
 *
 *      fgt_corpus_load(ctx, "train.csv", NULL, &train);
 *      fgt_corpus_load(ctx, "test.csv", &FGT_OPTS(fgt_corpus_opts, .like = train), &test);
 *      fgt_vocab_create(train, &FGT_OPTS(fgt_vocab_opts, .ngrams = 2, .buckets = 1 << 16), &vocab);
 *      fgt_encoding_create(vocab, train, 64, &encoding);
 *      fgt_source source = {.size = sizeof source, .count = info.rows, // fgt_corpus_info of train
 *                           .get = fgt_encoding_copy_samples, .user = encoding};
 *
 *  The model's first layer is then fgt_embedding() with vocab = ids of fgt_vocab_info, has_padding and
 *  mask_padding = 1, so that the layers after it ignore padded tokens.
 *
 *  Texts are UTF-8. Invalid bytes are counted and replaced by U+FFFD, one for each maximal part of a
 *  character, as the Unicode standard recommends (chapter 3, table 3-8). The locale has no effect.
 *
 *  Unless a function says otherwise: its arguments have no shapes and no units; pointers are borrowed for the
 *  call; only functions that return an fgt_status can fail; one thread at a time may use a context and what
 *  was made from it; the function is available since 0.9. */

#include <fighter/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- corpora --------------------------------------------------------------------------------- */

/** Texts, each with its class. Classes are numbered from 0 and have names. */
typedef struct fgt_corpus fgt_corpus;

typedef enum fgt_corpus_form {
    FGT_CORPUS_FORM_AUTO   = 0, /**< LINES if the first line begins with "__label__", otherwise CSV. With
                                    no_classes also LINES if there is no sign of cells, that is no tab, no
                                    quote, no header and no column class_column */
    FGT_CORPUS_FORM_LINES  = 1, /**< "__label__x text": one class and one text a line, as in fastText. With
                                    no_classes any line is a text */
    FGT_CORPUS_FORM_CSV    = 2, /**< each line has cells: class, title, description ..., or in any other
                                    order */
    FGT_CORPUS_FORM_LABELS = 3  /**< as LINES, but "__label__x __label__y text": one or more labels. The class
                                    of a text is the list of its labels, "x y", in this order; for
                                    classifiers with several labels a text, see labels.h */
} fgt_corpus_form;

/** Whether the first line of a CSV file is a header with names of columns. */
typedef enum fgt_corpus_header {
    FGT_CORPUS_HEADER_AUTO = 0, /**< the first line is a header if an option names a column; if a cell has a
                                     usual name such as label, class, text or title; or if it has a text where
                                     the class of the second line is a number */
    FGT_CORPUS_HEADER_YES  = 1,
    FGT_CORPUS_HEADER_NO   = 2
} fgt_corpus_header;

/** Kinds of class labels. */
typedef enum fgt_class_kind {
    FGT_CLASS_KIND_AUTO   = 0, /**< NAME; but NUMBER for a CSV file if all rows write numbers in their
                                    shortest form. So 01 and 1 are two names */
    FGT_CLASS_KIND_NUMBER = 1, /**< a whole number between -(2^31-1) and 2^31-1; classes are in the order of
                                    numbers, and 01 is 1 */
    FGT_CLASS_KIND_NAME   = 2  /**< any text; classes are in the order of the bytes of their names */
} fgt_class_kind;

typedef struct fgt_corpus_opts {
    size_t            size;
    const fgt_corpus  *like;         /**< a corpus whose classes are used, and no others, such as the training
                                          corpus for a test file, or fgt_classifier_get_corpus(). If both
                                          files have a header, the columns of class and text are the columns
                                          with the same names as in `like`. NULL: the classes that occur */
    const char *const *text_columns; /**< CSV: columns of the text, by name or by number from 0. Their cells
                                          are joined in this order with blanks. NULL: as in like, or all
                                          columns except the class and columns whose names say that they
                                          number the rows (id, index, x_id, no name) */
    int64_t            text_column_count; /**< 0 with text_columns NULL */
    const char        *class_column; /**< CSV: column of the class, by name or by number from 0. NULL: as in
                                          like, or the column with a usual name such as label; without a
                                          header the first column, or the last one if only the last one has a
                                          number; with no_classes no column */
    int64_t            classes;      /**< if classes are numbers: the classes are 1 .. classes (zero_based: 0
                                          .. classes-1). 0: the numbers that occur */
    int64_t           max_rows;     /**< rows to read; 0: all. The rest of the file is ignored */
    int32_t           form;         /**< an fgt_corpus_form */
    int32_t            class_kind;   /**< an fgt_class_kind. 0 with `like`: the kind of `like`, if it was
                                          given there or follows from `classes` there */
    int32_t           zero_based;   /**< 1: numbers begin with 0; only used with classes */
    int32_t            header;       /**< CSV: an fgt_corpus_header */
    int32_t            delimiter;    /**< CSV: a printable ASCII character or tab. 0: the first of tab, comma,
                                          semicolon and bar that cuts all lines into the same number of
                                          cells */
    int32_t            keep_escapes; /**< 0: a backslash is an escaped line break and becomes a blank. An n
                                          after the backslash is removed, too, unless a small letter a-z
                                          follows it: in AG News "\nuclear" is a line break and the word
                                          nuclear. 1: backslashes stay */
    int32_t            no_classes; /**< 1: the texts have no known classes; their class is -1, and a text may
                                        be empty. A column of classes is skipped if the header or class_column
                                        names it; otherwise it is a part of the text */
    int32_t           no_quotes;    /**< CSV, 1: quotes are ordinary characters, and no cell spans lines */
    int64_t           skip;         /**< number of lines at the start of a file that are left out */
    const char        *comment;      /**< lines that begin with this text, such as "#", are left out; NULL: no
                                          lines */
} fgt_corpus_opts;

/** Reads labelled texts from a file, which may be gzip-compressed. CSV: cells may be in double quotes, with
 *  inner quotes doubled; a quoted cell may span lines. In files with tabs, quotes are ordinary characters,
 *  unless each cell that begins with a quote also ends with one. A UTF-8 byte order mark and blank lines are
 *  skipped (but a blank line is a text in the form of lines with no_classes); blanks around unquoted cells
 *  and lines are removed. A first line of CSV such as sep=; sets the delimiter, unless `delimiter` is set. If
 *  invalid UTF-8 was replaced, the context's log says so.
 *  Source   RFC 4180; AG News: Zhang, Zhao, LeCun 2015; lines: fastText, Joulin et al. 2017
 *  Shapes   file with R lines of C cells -> R texts
 *  Cost     one pass; keeps the texts
 *  Log      warnings: invalid UTF-8, columns that were left out without an option, a class that is not a
 *           number among numbers, a text in quotes with a line that looks like a row, a line after the header
 *           that seems to have units of the columns, a class that begins like a comment
 *  Owner    *corpus is the caller's; nothing of opts is kept
 *  Errors   FGT_E_IO no such file, a directory, unreadable; FGT_E_FORMAT a line with more or fewer cells
 *           than the first, lines before the header, a line without "__label__" or with a second one, a quote
 *           that is not closed, a damaged gzip stream, a line over 64 MiB, a zero byte; FGT_E_DATA a class
 *           that is not a whole number or out of range, an empty class, a word for a missing value (NA, null,
 *           -) if all other classes are numbers, a class that like does not have, an empty text (all of these
 *           with file and line), no row; FGT_E_NAME no such column, a name of two columns, one column for
 *           class and text; FGT_E_UNSUPPORTED gzip, built without zlib; FGT_E_ARG, FGT_E_VERSION opts;
 *           FGT_E_SIZE; FGT_E_NOMEM. On error *corpus is NULL */
FGT_API FGT_MUST fgt_status fgt_corpus_load(fgt_context *ctx, const char *path, const fgt_corpus_opts *opts,
                                            fgt_corpus **corpus);

/** Makes a corpus from memory. Only like, classes, class_kind, zero_based, keep_escapes and no_classes of
 *  opts are used.
 *  Shapes   texts, classes: count C strings each; classes is NULL with no_classes
 *  Owner    everything is copied; *corpus is the caller's
 *  Errors   FGT_E_ARG NULL, count < 1; FGT_E_DATA as fgt_corpus_load(), with the row; FGT_E_VERSION;
 *           FGT_E_NOMEM. On error *corpus is NULL */
FGT_API FGT_MUST fgt_status fgt_corpus_create(fgt_context *ctx, const char *const *texts,
                                              const char *const *classes, int64_t count,
                                              const fgt_corpus_opts *opts, fgt_corpus **corpus);

/** Makes a corpus from some rows of another corpus, with the same classes, for example for validation.
 *  Shapes   rows: count indices, in any order
 *  Owner    everything is copied; *subset is the caller's
 *  Errors   FGT_E_ARG NULL, count < 1, an index out of range; FGT_E_IO, FGT_E_FORMAT with texts on disk;
 *           FGT_E_NOMEM. On error *subset is NULL */
FGT_API FGT_MUST fgt_status fgt_corpus_create_subset(const fgt_corpus *corpus, const int64_t *rows,
                                                     int64_t count, fgt_corpus **subset);

typedef struct fgt_corpus_split_opts {
    size_t   size;
    int64_t  every; /**< one of each `every` neighbouring texts is for validation; at least 2; 0: 10 */
    uint64_t seed;
} fgt_corpus_split_opts;

/** Cuts a corpus in two. Of each `every` neighbouring texts one, drawn at random, is for validation, and the
 *  others are for training. If fewer than `every` texts are left at the end, they are for training. Texts on
 *  disk (corpus_file.h) are not copied: both parts share the open file, and compute their rows without a
 *  list.
 *  Shapes   rows R -> R - floor(R / every), floor(R / every)
 *  Cost     in memory a copy of the texts; on disk one pass over the file, to count the classes
 *  Owner    *train and *validation are the caller's; the corpus may be destroyed
 *  Errors   FGT_E_ARG NULL, not 2 <= every <= rows, a corpus on disk that is itself a part of a split;
 *           FGT_E_IO, FGT_E_FORMAT; FGT_E_VERSION; FGT_E_NOMEM. On error both are NULL */
FGT_API FGT_MUST fgt_status fgt_corpus_create_split(const fgt_corpus            *corpus,
                                                    const fgt_corpus_split_opts *opts, fgt_corpus **train,
                                                    fgt_corpus **validation);

/** Destroys a corpus and sets *corpus to NULL.
 *  Owner    takes *corpus */
FGT_API void fgt_corpus_destroy(fgt_corpus **corpus);

/** Properties of a corpus. */
typedef struct fgt_corpus_info {
    size_t  size;
    int64_t rows;     /**< R, the number of texts */
    int64_t classes;  /**< C. With `like` or `classes` of the options there may be classes without texts */
    int64_t replaced; /**< number of U+FFFD that replace invalid UTF-8 in texts and names of classes; a subset
                           has 0 */
    int32_t stored;   /**< 1: the texts stay on disk (corpus_file.h) */
    int32_t reserved;
    const int64_t *class_rows;  /**< [C]: number of texts of each class; the corpus's */
    const int32_t *row_classes; /**< [R]: class of each text, -1 with no_classes; the corpus's. NULL: the
                                     texts stay on disk */
} fgt_corpus_info;

/** Fills *info, whose size field the caller has set.
 *  Errors   FGT_E_ARG; FGT_E_VERSION info->size is not set
 *  Threads  any, as long as no call fails */
FGT_API FGT_MUST fgt_status fgt_corpus_get_info(const fgt_corpus *corpus, fgt_corpus_info *info);

/** Name of a class as in the file, or its number as text.
 *  Shapes   class_id in 0 .. C-1
 *  Owner    the corpus's
 *  Errors   none; NULL if there is no such class
 *  Threads  any */
FGT_API const char *fgt_corpus_get_class_name(const fgt_corpus *corpus, int64_t class_id);

/** A text in the form that the vocabulary reads: columns are joined, and escapes and invalid UTF-8 are
 *  replaced.
 *  Shapes   row in 0 .. R-1
 *  Owner    the corpus's
 *  Errors   none; NULL if there is no such row, or the texts stay on disk (corpus_file.h)
 *  Threads  any */
FGT_API const char *fgt_corpus_get_text(const fgt_corpus *corpus, int64_t row);

/* ---- vocabularies ---------------------------------------------------------------------------- */

/** Words and their ids:
 *
 *      0                       FGT_ID_PADDING
 *      1                       FGT_ID_UNKNOWN: a word without an id
 *      2 .. W+1                the W words, the most frequent first, words of equal frequency in the order of
 *                              their bytes; also prefixes ("presi*") and, without buckets, frequent n-grams
 *                              and runs of letters
 *      W+2 .. W+1+buckets      n-grams, by their hash
 *      W+2+buckets .. W+1+buckets+letter_buckets   runs of letters, by their hash
 *
 *  A text is first normalised to NFKC_Casefold (compatibility forms, composed, case folded, invisible
 *  characters removed), and then split into words:
 *  - A word is a run of letters and digits (Unicode categories L*, N*) with their marks (M*).
 *  - A letter of the blocks of Hiragana, Katakana and CJK ideographs is a word, because nothing
 *    separates words there (the signs U+3005 and U+3007 and the Kana Supplement are in other blocks).
 *  - A symbol with its marks is a word: signs of currency and mathematics, emoji and other pictures (Sc, Sm,
 *    So, but not U+FFFD). Composed emoji become the words of their parts, because joiners and variation
 *    selectors are invisible characters: a thumb with a skin tone is two words, and each person of a family
 *    is a word. The flags of England and Scotland both become the word of a black flag. Two regional
 *    indicators, which make the flag of a country, are one word.
 *  - Everything else separates words. With opts.punctuation, punctuation marks and the remaining symbols
 *    (P*, Sk) are words, too.
 *  "Don't" is "don", "t". There is no list of stop words and no stemming.
 *  libutf8proc determines the version of Unicode. Ids may differ between versions only for texts with
 *  characters that are unassigned (Cn) in one of the versions. */
typedef struct fgt_vocab fgt_vocab;

enum { FGT_ID_PADDING = 0, FGT_ID_UNKNOWN = 1 };

/** How symbols in a text are read. */
typedef enum fgt_vocab_symbols {
    FGT_VOCAB_SYMBOLS_AUTO   = 0, /**< words */
    FGT_VOCAB_SYMBOLS_WORDS  = 1, /**< words, see fgt_vocab */
    FGT_VOCAB_SYMBOLS_SPACES = 2  /**< symbols separate words, or, with punctuation, each symbol is a word.
                                       Model files without this option have this default */
} fgt_vocab_symbols;

typedef struct fgt_vocab_opts {
    size_t  size;
    int64_t max_words;   /**< keep this many of the most frequent words; 0: all */
    int64_t min_count;   /**< drop words that occur less often; 0: 2 */
    int64_t ngrams;      /**< length of the longest n-grams with ids, 1 .. 8; 0: 1, only words */
    int64_t buckets;     /**< number of ids that all n-grams share by their hash. 0: n-grams that occur
                              min_count times get ids of their own, like words; the others get no ids */
    int32_t punctuation; /**< 1: punctuation marks are words */
    int32_t symbols;     /**< an fgt_vocab_symbols */
    int64_t prefix;      /**< characters, at most 32. A longer word gets a second id for its first `prefix`
                              characters, if min_count words begin with them: forms of the word share this id.
                              0: no prefixes */
    int64_t letters;     /**< characters, at most 8. Runs of 1 to `letters` characters within a word, where a
                              blank marks each end of the word, get ids if they occur min_count times. A word
                              has the ids of its runs besides its own id, and fgt_embedding() adds all their
                              rows. 0: no runs */
    int64_t bag;         /**< K, with letters: largest number of ids of a token, for the word and its first
                                     runs of letters; at most 1024; 0: 48 */
    int64_t least_letters;  /**< with letters: characters of the shortest runs; 0: 1 */
    int64_t letter_buckets; /**< with letters: number of ids that all runs of letters share by their hash, so
                                 that also runs that training has not seen have ids. 0: runs that occur
                                 min_count times get ids of their own; the others get no ids */
} fgt_vocab_opts;

/** Counts the words of a corpus and numbers the frequent ones. Use only training rows.
 *  The id of an n-gram is W + 2 + (h mod buckets), where h is the 64-bit FNV-1a hash of its words joined by
 *  blanks (0x20); its words need not be in the vocabulary. Without buckets the n-gram is looked up, and gets
 *  no id if it is not found. Rare n-grams get no ids because n-grams that occur once in training do not help
 *  with other texts, but let a model memorise the training texts. The id of a run of letters is W + 2 +
 *  buckets + (h mod letter_buckets), where h is the hash of its characters.
 *  Source   NFKC_Casefold: Unicode standard, section 3.13, through libutf8proc; hashed n-grams: Joulin et
 *           al. 2017; FNV-1a: Fowler, Noll, Vo
 *  Cost     one pass over the texts; memory for every distinct word and, without buckets, for every distinct
 *           n-gram and run of letters
 *  Owner    *vocab is the caller's; the corpus may be destroyed
 *  Errors   FGT_E_ARG NULL, an option out of range, buckets without n-grams, letter_buckets without
 *           letters; FGT_E_DATA no word is left; FGT_E_SIZE more than 2^31-1 ids; FGT_E_UNSUPPORTED built
 *           without libutf8proc; FGT_E_IO, FGT_E_FORMAT with texts on disk; FGT_E_VERSION; FGT_E_NOMEM. On
 *           error *vocab is NULL */
FGT_API FGT_MUST fgt_status fgt_vocab_create(const fgt_corpus *corpus, const fgt_vocab_opts *opts,
                                             fgt_vocab **vocab);

/** Writes a vocabulary: a safetensors file with its words and options. Models of texts need the vocabulary
 *  that they were trained with; the file of a classifier has it already.
 *  Errors   FGT_E_ARG NULL; FGT_E_NOMEM; as fgt_output says */
FGT_API FGT_MUST fgt_status fgt_vocab_save(const fgt_vocab *vocab, const fgt_output *to);

/** Reads a vocabulary that fgt_vocab_save() wrote. The same texts get the same ids.
 *  Owner    *vocab is the caller's
 *  Errors   FGT_E_ARG NULL; FGT_E_FORMAT not a vocabulary, damaged; FGT_E_VERSION an option of a later
 *           version; FGT_E_NOMEM; as fgt_input says. On error *vocab is NULL */
FGT_API FGT_MUST fgt_status fgt_vocab_load(fgt_context *ctx, const fgt_input *from, fgt_vocab **vocab);

/** Destroys a vocabulary and sets *vocab to NULL.
 *  Owner    takes *vocab */
FGT_API void fgt_vocab_destroy(fgt_vocab **vocab);

/** Properties of a vocabulary. */
typedef struct fgt_vocab_info {
    size_t                size;
    int64_t               ids;   /**< W + 2 + buckets + letter_buckets: the vocab of an fgt_embedding() */
    int64_t               words; /**< W, including n-grams, prefixes and runs of letters that are numbered
                                      like words */
    const fgt_vocab_opts *opts;  /**< the options, with defaults filled in; the struct is the vocabulary's */
} fgt_vocab_info;

/** Fills *info, whose size field the caller has set.
 *  Errors   FGT_E_ARG; FGT_E_VERSION info->size is not set
 *  Threads  any, as long as no call fails */
FGT_API FGT_MUST fgt_status fgt_vocab_get_info(const fgt_vocab *vocab, fgt_vocab_info *info);

/** The word, n-gram ("new york"), prefix ("presi*") or letters (" ing", "  th") of an id.
 *  Shapes   id in 2 .. W+1
 *  Owner    the vocabulary's
 *  Errors   none; NULL if the id is not a word's
 *  Threads  any */
FGT_API const char *fgt_vocab_get_word(const fgt_vocab *vocab, int64_t id);

/** Turns each text into T ids: the words in order, then the pairs of neighbouring words, then the triples, at
 *  the end the prefixes. Ids after the T-th are cut off; missing ones are FGT_ID_PADDING. A text without
 *  words is only padding. With letters each word has K places, for the id of the word, the ids of its
 *  letters, and padding.
 *  Shapes   texts: n C strings, n = count; ids I64 or I32 [n,T], with letters [n,T K]; padding I32 of the
 *           same shape, 1 for an id that is padding, or NULL (without letters it has the form of
 *           FGT_MASK_KEY_PADDING); *replaced: number of U+FFFD that replace invalid UTF-8, or NULL
 *  Cost     about 50 ns a byte of text
 *  Owner    texts are borrowed for the call
 *  Errors   FGT_E_ARG NULL, count < 1; FGT_E_SHAPE; FGT_E_UNSUPPORTED; FGT_E_NOMEM. On error do not use
 *           ids and padding */
FGT_API FGT_MUST fgt_status fgt_vocab_encode(const fgt_vocab *vocab, const char *const *texts, int64_t count,
                                             const fgt_view *ids, const fgt_view *padding, int64_t *replaced);

/* ---- encoded samples ------------------------------------------------------------------------- */

/** The ids of a corpus's texts, and their classes: samples for fgt_model_fit(). */
typedef struct fgt_encoding fgt_encoding;

/** Encodes all texts of a corpus, each up to `tokens` ids; see fgt_vocab_encode(). A sample is a row of the
 *  corpus. Texts on disk (corpus_file.h) are encoded when they are read.
 *  Units    tokens: ids
 *  Cost     memory: 4 bytes for each id, without padding; with texts on disk `resident` of fgt_corpus_open()
 *  Owner    *encoding is the caller's; vocabulary and corpus may be destroyed, unless the texts are on disk
 *  Errors   FGT_E_ARG NULL, tokens < 1; FGT_E_UNSUPPORTED; FGT_E_NOMEM. On error *encoding is NULL */
FGT_API FGT_MUST fgt_status fgt_encoding_create(const fgt_vocab *vocab, const fgt_corpus *corpus,
                                                int64_t tokens, fgt_encoding **encoding);

/** Destroys an encoding and sets *encoding to NULL.
 *  Owner    takes *encoding */
FGT_API void fgt_encoding_destroy(fgt_encoding **encoding);

/** Copies a batch of samples. `encoding` is an fgt_encoding *, passed as void * so that this function can be
 *  fgt_source.get.
 *  Shapes   index: n numbers of samples, n = count; x I64 or I32 [n,T]: ids, cut off or padded to T; target
 *           I64 or I32 [n]: classes, or NULL; with letters x is [n,T K]
 *  Cost     one copy; nothing is allocated. With texts on disk each text is also encoded as in
 *           fgt_vocab_encode(), which allocates only if a normalised text has far more characters than the
 *           text
 *  Errors   FGT_E_ARG NULL, an index out of range; FGT_E_SHAPE; then x and target are untouched. With texts
 *           on disk also FGT_E_IO, FGT_E_FORMAT, FGT_E_NOMEM; then do not use x and target */
FGT_API FGT_MUST fgt_status fgt_encoding_copy_samples(void *encoding, const int64_t *index, int64_t count,
                                                      const fgt_view *x, const fgt_view *target);

#ifdef __cplusplus
}
#endif
#endif
