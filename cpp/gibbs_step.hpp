// One sweep of a collapsed Gibbs sampler over the tokens of some documents whose words are in one group.
//
// Conditionals are computed for all topics at once in 16 interleaved lanes. Every lane is summed in topic order by
// itself, and the 16 sums in lane order: a wider vector unit rounds the same way, and the bits are equal everywhere.
#pragma once

#include "views.hpp"

namespace crisp::CRISP_ISA {

// 24 random bits in [0, 1) for a token: the finalizer of SplitMix64 over a key and the token's number, as start.mix.
inline float uniform(uint64_t key, uint64_t token) {
    uint64_t x = key + token * 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    x ^= x >> 31;
    return static_cast<float>(x >> 40) * 0x1p-24F;
}

// The topic whose share of `cumulative` (lane by lane) holds the point u; `lane_sums` are the last row of it.
inline int64_t find_share(const float* cumulative, int64_t n_padded, const float* lane_sums, float u) {
    float total = 0;
    for (int64_t lane = 0; lane < lanes; ++lane) total += lane_sums[lane];
    const float target = u * total;
    float end = 0, begin = 0;
    int64_t chosen = 0;
    for (int64_t lane = 0; lane < lanes; ++lane) {
        if (lane_sums[lane] > 0) {  // rounding may leave the point above all sums: then the last lane with a share
            chosen = lane;
            begin = end;
        }
        end += lane_sums[lane];
        if (target < end) break;
    }
    const float rest = target - begin;
    int64_t topic = chosen;
    for (int64_t next = chosen; next < n_padded; next += lanes) {
        const float before = next < lanes ? 0 : cumulative[next - lanes];
        if (cumulative[next] > before) topic = next;
        if (rest < cumulative[next]) break;
    }
    return topic;
}

// Fills `cumulative` with (n_dk + alpha_k) (n_kw + beta) / (N_k + V beta), added up along each lane.
template <class Count>
inline void conditionals(const float* in_document, const float* alpha, const Count* in_topics, float beta,
                         const float* inverse, int64_t n_padded, float* cumulative, float* lane_sums) {
    for (int64_t lane = 0; lane < lanes; ++lane) lane_sums[lane] = 0;
    for (int64_t first = 0; first < n_padded; first += lanes) {
        CRISP_INDEPENDENT
        for (int64_t lane = 0; lane < lanes; ++lane) {
            const int64_t k = first + lane;
            const float weight = (in_document[k] + alpha[k]) * (static_cast<float>(in_topics[k]) + beta) * inverse[k];
            lane_sums[lane] += weight;
            cumulative[k] = lane_sums[lane];
        }
    }
}

// Tokens stand in the order of documents, and inside a document by group of words: those of document j and group g are
// cuts[j n_groups + g] to before the next cut. `totals` counts all tokens of each topic, as this task sees them.
inline void gibbs_step(const GibbsTokens& tokens, int64_t first, int64_t last, int64_t group, const GibbsPrior& prior,
                       uint64_t key, int32_t* topic_words, int64_t* totals, uint16_t* topics, const GibbsSpace& space) {
    const int64_t n_padded = prior.n_padded;
    const auto invert = [&](int64_t k) { space.inverse[k] = 1.0F / (static_cast<float>(totals[k]) + prior.beta_sum); };
    for (int64_t k = 0; k < n_padded; ++k) invert(k);
    float lane_sums[lanes];
    for (int64_t document = first; document < last; ++document) {
        const int64_t* cuts = tokens.cuts + document * tokens.n_groups;
        if (cuts[group] == cuts[group + 1]) continue;
        for (int64_t k = 0; k < n_padded; ++k) space.in_document[k] = 0;
        for (int64_t t = cuts[0]; t < cuts[tokens.n_groups]; ++t) space.in_document[topics[t]] += 1;
        for (int64_t t = cuts[group]; t < cuts[group + 1]; ++t) {
            int32_t* in_topics = topic_words + tokens.words[t] * n_padded;
            const uint16_t old = topics[t];
            space.in_document[old] -= 1;
            in_topics[old] -= 1;
            totals[old] -= 1;
            invert(old);
            conditionals(space.in_document, prior.alpha, in_topics, prior.beta, space.inverse, n_padded,
                         space.cumulative, lane_sums);
            const auto drawn = static_cast<uint16_t>(
                find_share(space.cumulative, n_padded, lane_sums, uniform(key, static_cast<uint64_t>(t))));
            topics[t] = drawn;
            space.in_document[drawn] += 1;
            in_topics[drawn] += 1;
            totals[drawn] += 1;
            invert(drawn);
        }
    }
}

// The same for new documents, whose tokens do not change the topics: `psi` has a row of probabilities for each word.
// Adds each document's topic counts after the sweep to `sums`, one row of n_padded for each document.
inline void gibbs_infer(const GibbsTokens& tokens, int64_t first, int64_t last, const GibbsPrior& prior, uint64_t key,
                        const float* psi, uint16_t* topics, float* sums, const GibbsSpace& space) {
    const int64_t n_padded = prior.n_padded;
    for (int64_t k = 0; k < n_padded; ++k) space.inverse[k] = 1;
    float lane_sums[lanes];
    for (int64_t document = first; document < last; ++document) {
        const int64_t begin = tokens.cuts[document], end = tokens.cuts[document + 1];
        for (int64_t k = 0; k < n_padded; ++k) space.in_document[k] = 0;
        for (int64_t t = begin; t < end; ++t) space.in_document[topics[t]] += 1;
        for (int64_t t = begin; t < end; ++t) {
            space.in_document[topics[t]] -= 1;
            conditionals(space.in_document, prior.alpha, psi + tokens.words[t] * n_padded, 0.0F, space.inverse,
                         n_padded, space.cumulative, lane_sums);
            topics[t] = static_cast<uint16_t>(
                find_share(space.cumulative, n_padded, lane_sums, uniform(key, static_cast<uint64_t>(t))));
            space.in_document[topics[t]] += 1;
        }
        for (int64_t k = 0; k < n_padded; ++k) sums[document * n_padded + k] += space.in_document[k];
    }
}

}  // namespace crisp::CRISP_ISA
