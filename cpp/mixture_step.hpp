// Half an iteration for topics of a mixture: the tokens of each entry are shared out over the topics, and added up for
// each row. Rows are documents and columns words, or the other way round: one kernel serves both halves.
//
// A topic's share is in proportion to (the row's tokens in it + prior) (the column's + prior) / (its tokens + V beta). A
// token must not vouch for itself, or each of the few words of a short document holds the document in its topic: so a
// token's first share is taken off both counts, and it is shared out again.
//
// Topics lie in 16 lanes. Every lane is summed in topic order by itself, and the 16 sums pairwise: a wider vector unit
// rounds the same way, and the bits are equal everywhere.
#pragma once

#include <algorithm>

#include "views.hpp"

namespace crisp::CRISP_ISA {

constexpr int64_t entries_in_float = 4096;  // that many are added up in float before the sum goes on in double

inline float lane_total(const float* sums) {
    float half[8], quarter[4];
    for (int64_t lane = 0; lane < 8; ++lane) half[lane] = sums[lane] + sums[lane + 8];
    for (int64_t lane = 0; lane < 4; ++lane) quarter[lane] = half[lane] + half[lane + 4];
    return (quarter[0] + quarter[2]) + (quarter[1] + quarter[3]);
}

// Adds the shares of one entry's tokens to `shared`; `base` has the row's factors of all shares.
inline void share_out(const float* own, const float* column, float tokens, const MixtureTables& tables,
                      const float* base, float* share, float* shared) {
    const int64_t n_padded = tables.n_padded;
    const float *row_prior = tables.row_prior, *column_prior = tables.column_prior, *weights = tables.weights;
    float itself_sums[lanes] = {}, sums[lanes] = {};
    for (int64_t first = 0; first < n_padded; first += lanes) {
        CRISP_INDEPENDENT
        for (int64_t lane = 0; lane < lanes; ++lane) {
            const int64_t k = first + lane;
            share[k] = base[k] * (column[k] + column_prior[k]);
            itself_sums[lane] += share[k];
        }
    }
    const float inverse = 1.0F / lane_total(itself_sums);
    for (int64_t first = 0; first < n_padded; first += lanes) {
        CRISP_INDEPENDENT
        for (int64_t lane = 0; lane < lanes; ++lane) {
            const int64_t k = first + lane;
            const float itself = share[k] * inverse;
            const float in_row = own[k] > itself ? own[k] - itself : 0.0F;
            const float in_column = column[k] > itself ? column[k] - itself : 0.0F;
            share[k] = (in_row + row_prior[k]) * (in_column + column_prior[k]) * weights[k];
            sums[lane] += share[k];
        }
    }
    const float scale = tokens / lane_total(sums);
    CRISP_INDEPENDENT
    for (int64_t k = 0; k < n_padded; ++k) shared[k] += share[k] * scale;
}

// `tables.rows` holds each row's tokens in the topics; those of the rows first .. last are replaced.
inline void mixture_step(const Documents& rows, int64_t first, int64_t last, const MixtureTables& tables,
                         const MixtureSpace& space) {
    const int64_t n_padded = tables.n_padded;
    for (int64_t row = first; row < last; ++row) {
        float* own = tables.rows + row * n_padded;
        for (int64_t k = 0; k < n_padded; ++k) {
            space.base[k] = (own[k] + tables.row_prior[k]) * tables.weights[k];
            space.sums[k] = 0;
        }
        for (int64_t begin = rows.indptr[row]; begin < rows.indptr[row + 1]; begin += entries_in_float) {
            const int64_t end = std::min(begin + entries_in_float, rows.indptr[row + 1]);
            for (int64_t k = 0; k < n_padded; ++k) space.shared[k] = 0;
            for (int64_t entry = begin; entry < end; ++entry)
                share_out(own, tables.columns + rows.words[entry] * n_padded, static_cast<float>(rows.counts[entry]),
                          tables, space.base, space.share, space.shared);
            for (int64_t k = 0; k < n_padded; ++k) space.sums[k] += space.shared[k];
        }
        for (int64_t k = 0; k < n_padded; ++k) own[k] = static_cast<float>(space.sums[k]);
    }
}

}  // namespace crisp::CRISP_ISA
