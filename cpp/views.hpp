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
};

struct Ratio {
    int64_t spent, tokens, topic;
    int64_t floor;  // spent / tokens without the fraction, but always below `far`
};

constexpr int64_t small_room = 1 << 13;  // least length of the word step's lists; so many places stay in a near cache

// Scratch memory of the word step, from the caller.
struct WordSpace {
    int32_t* nearest;   // per entry of the document: cost in the nearest open topic, or `marked`
    int32_t* weights;   // per entry: its tokens
    uint16_t* touched;  // K + 1: the topics that have a word of the document
    uint16_t* alive;    // per topic: the closed topics that may still open
    int64_t* bounds;    // per topic: a lower bound of the ratio of each of these
    int64_t* begins;    // per topic: where its list begins
    int64_t* sizes;     // per topic: length of its list; all 0 between documents
    int32_t* costs;     // the lists: for each topic, the unmarked words that it has
    int32_t* counts;
    int32_t* entries;
};

// Scratch memory of the refine step, from the caller.
struct RefineSpace {
    int64_t* gains;          // per topic: what the words save by joining words that are there; 0 between mini-topics
    int64_t* sizes;          // per topic: entries of the document in it; 0 between documents
    int64_t* begins;         // per topic: where its entries stand in `members`
    int64_t* total_costs;    // per topic: N log N
    uint16_t* touched;       // K + 1: topics that share a word with the mini-topic
    uint16_t* used;          // K + 1: the topics of the document
    int64_t* members;        // per entry of the document, grouped by topic
    uint16_t* start_topics;  // per entry of the document
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

}  // namespace crisp

namespace crisp::CRISP_ISA {

inline int64_t find_topic(const uint16_t* topics, int64_t length, uint16_t topic) {
    for (int64_t slot = 0; slot < length; ++slot)
        if (topics[slot] == topic) return slot;
    return -1;
}

}  // namespace crisp::CRISP_ISA
