// Basic, the k-means style step: each word to its cheapest topic, plus the penalty where the document did not use it.
#pragma once

#include "views.hpp"

namespace crisp::CRISP_ISA {

// `used_by` has room for a number per topic.
inline void basic_step(const Documents& documents, int64_t first, int64_t last, const CostRows& rows, int64_t penalty,
                       const uint16_t* topics, uint16_t* result, int64_t* used_by) {
    for (int64_t topic = 0; topic < rows.n_topics; ++topic) used_by[topic] = -1;
    for (int64_t document = first; document < last; ++document) {
        const int64_t begin = documents.indptr[document], end = documents.indptr[document + 1];
        for (int64_t entry = begin; entry < end; ++entry) used_by[topics[entry]] = document;
        for (int64_t entry = begin; entry < end; ++entry) {
            const int64_t start = rows.starts[documents.words[entry]];
            int64_t least = INT64_MAX;
            uint16_t best = topics[entry];
            for (int64_t slot = start; slot < start + rows.lengths[documents.words[entry]]; ++slot) {
                const uint16_t topic = rows.topics[slot];
                const int64_t cost = rows.costs[slot] + (used_by[topic] == document ? 0 : penalty);
                if (cost < least || (cost == least && topic < best)) {
                    least = cost;
                    best = topic;
                }
            }
            result[entry] = best;
        }
    }
}

}  // namespace crisp::CRISP_ISA
