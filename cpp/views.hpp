// What the kernels read and write: plain views of arrays that Python owns.
#pragma once

#include "fixed.hpp"

// Before a loop whose arrays do not overlap, so that it may be vectorised.
#if defined(__clang__)
#define CRISP_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define CRISP_INDEPENDENT _Pragma("GCC ivdep")
#else
#define CRISP_INDEPENDENT
#endif

namespace crisp {

struct Documents {
    const int64_t* indptr;  // document j has the entries indptr[j] .. indptr[j + 1]
    const int32_t* words;   // one word per entry, no word twice in a document
    const int32_t* counts;  // its tokens, at least 1
};

// Topic counts as sparse word rows. Row w lies at starts[w], has lengths[w] topics in no particular order, and room for
// as many as the word can ever have; a topic without tokens of the word is not in its row.
struct TopicRows {
    int64_t n_words;
    int64_t n_topics;
    const int64_t* starts;
    int32_t* lengths;
    uint16_t* topics;
    int64_t* counts;
    int64_t* totals;  // one per topic
};

// The same rows with costs, -log psi in fixed point; absent[k] is the cost of a word that topic k lacks.
struct CostRows {
    int64_t n_topics;
    const int64_t* starts;
    const int32_t* lengths;
    const uint16_t* topics;
    const int32_t* costs;
    const int32_t* absent;
    const int32_t* table;  // where topics are few, also word by word for all topics, padded with `far`; or null
    int64_t n_padded;
};

struct Ratio {
    int64_t spent, tokens, topic;
    int64_t floor;  // spent / tokens without the fraction, but always below `far`
};

constexpr int64_t dense_topics = 64;  // the most topics that may have a table of costs
constexpr int64_t lanes = 16;         // numbers that are treated together; topics are padded to a multiple of it
constexpr int64_t max_columns = 32;   // topics that it looks at closely at a time

struct Candidate {
    int32_t topic, column;
    int64_t tokens;  // that bid for it below the limit
    int64_t bound;   // of the ratio, from below; negative until it has been looked at
};

// A topic read in the row of an entry's word.
struct Pair {
    int32_t cost;
    int32_t place;  // of the entry
    uint16_t topic;
};

// Scratch memory of the word step, from the caller. Entries of a document that are not marked have places 0, 1, ...
struct WordSpace {
    int32_t* entries;  // per place
    int32_t* words;
    int32_t* counts;        // 0 in up to `lanes` places after the last one
    int32_t* nearest;       // the cost in the nearest open topic
    uint16_t* owners;       // that topic
    int32_t* places;        // per place: the next one, when entries close ranks, or -1
    int64_t stride;         // places in a column
    int32_t* columns;       // costs of all entries in `max_columns` topics; two more for what is not needed
    int64_t* bids;          // per topic, padded to `lanes`
    Candidate* candidates;  // per topic
    int32_t* column_of;     // per topic; all `max_columns` between documents
    uint16_t* opened;       // per topic
    int64_t* nexts;         // per entry: what to read next in its word's row
    Pair* pairs;            // per topic of each entry's word
};

constexpr int gain_shift = 5;  // gains are in units of 2^5 of those of costs, that is 2^-11 nat, rounded up

// What one token more of a word saves in a topic, at most: in one cell for each place of the sparse rows or, if `width`
// is not 0, for each word and topic, rows padded to that width. And tables by count, and by gain.
struct Gains {
    TopicRows rows;
    int64_t width;
    uint16_t* cells;
    const int64_t* xlogx;         // n log n of small counts
    const uint16_t* of_counts;    // gains of small counts
    const int32_t* least_counts;  // by gain: no count with this gain is less
};

// Scratch memory of the refine step, from the caller. Topics are padded to a multiple of `lanes`.
struct RefineSpace {
    int64_t n_padded;
    int shift;        // bids are in units of gains times 2^shift, such that a document's do not overflow
    float rounding;   // more than doubles round off the largest cost
    float* rises;     // per topic: what N log N rises by at least for each token that joins; infinite in the padding
    float* bonus;     // per topic: the penalty if the document uses it; 0 between documents
    int32_t* bids;    // per topic: the most that the mini-topic's words save there; 0 between mini-topics
    int32_t* firsts;  // per topic: its last entry in the document; -1 between documents
    int32_t* sizes;   // per topic: entries of the document in it; 0 between documents
    uint16_t* last_gains;  // per topic: gain in the last row that has it
    uint16_t* used;        // K + 1: the topics of the document
    uint16_t* candidates;  // K + 1: the topics that a mini-topic may move to
    int32_t* nexts;        // per entry of the document: the one before it in its topic, or -1
    int32_t* lengths;      // per entry of the document: how long its word's row is, and where it begins
    int64_t* starts;
    int64_t* places;  // per entry of the mini-topic: where the gains of its word begin
    int32_t* counts;  // per entry of the mini-topic: its tokens
};

struct RefineChange {
    int64_t words_cost, topics_used, moved;
};

// Tokens for the Gibbs sampler, document by document; see gibbs_step.hpp for the cuts.
struct GibbsTokens {
    int64_t n_groups;
    const int64_t* cuts;
    const int32_t* words;
};

struct GibbsPrior {
    int64_t n_padded;    // topics, padded
    const float* alpha;  // per topic
    float beta;
    float beta_sum;  // V beta
};

// Scratch memory of the Gibbs sampler, from the caller, per topic.
struct GibbsSpace {
    float* in_document;
    float* inverse;
    float* cumulative;
};

// Topics of a mixture: expected tokens of each row and of each column in each topic, and what belongs to the topics.
struct MixtureTables {
    int64_t n_padded;  // topics, padded
    float* rows;
    const float* columns;
    const float* row_prior;
    const float* column_prior;
    const float* weights;  // 1 / (N_k + V beta); 0 for padding
};

// Scratch memory of the mixture step, from the caller, per topic.
struct MixtureSpace {
    float* base;
    float* share;
    float* shared;
    double* sums;
};

}  // namespace crisp

namespace crisp::CRISP_ISA {

inline int64_t find_topic(const uint16_t* topics, int64_t length, uint16_t topic) {
    for (int64_t slot = 0; slot < length; ++slot)
        if (topics[slot] == topic) return slot;
    return -1;
}

}  // namespace crisp::CRISP_ISA
