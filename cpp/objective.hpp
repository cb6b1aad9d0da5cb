// The objective from the counts and the assignment alone; shares no code with the steps.
#pragma once

#include "views.hpp"

namespace crisp::CRISP_ISA {

// - sum n_kw log n_kw over the words first .. last; with sum_k N_k log N_k it is the words' cost with psi at its best.
inline int64_t words_cost(const TopicRows& rows, int64_t first, int64_t last) {
    int64_t cost = 0;
    for (int64_t word = first; word < last; ++word)
        for (int64_t slot = 0; slot < rows.lengths[word]; ++slot)
            cost -= fixed_xlogx(rows.counts[rows.starts[word] + slot]);
    return cost;
}

// How many topics the documents first .. last use in all. `seen` has room for a number per topic.
inline int64_t topics_used(const Documents& documents, int64_t first, int64_t last, int64_t n_topics,
                           const uint16_t* topics, int64_t* seen) {
    int64_t used = 0;
    for (int64_t topic = 0; topic < n_topics; ++topic) seen[topic] = -1;
    for (int64_t document = first; document < last; ++document)
        for (int64_t entry = documents.indptr[document]; entry < documents.indptr[document + 1]; ++entry) {
            used += seen[topics[entry]] != document;
            seen[topics[entry]] = document;
        }
    return used;
}

}  // namespace crisp::CRISP_ISA
