// Counting words in topics, and the costs that follow from the counts.
#pragma once

#include <algorithm>

#include "views.hpp"

namespace crisp::CRISP_ISA {

inline void add_tokens(const TopicRows& rows, int32_t word, uint16_t topic, int64_t count) {
    const int64_t start = rows.starts[word];
    int64_t slot = find_topic(rows.topics + start, rows.lengths[word], topic);
    if (slot < 0) {
        slot = rows.lengths[word]++;
        rows.topics[start + slot] = topic;
        rows.counts[start + slot] = 0;
    }
    rows.counts[start + slot] += count;
    rows.totals[topic] += count;
}

// Tokens that change their topic must be removed before they are added: a row has no room to spare.
inline void remove_tokens(const TopicRows& rows, int32_t word, uint16_t topic, int64_t count) {
    const int64_t start = rows.starts[word];
    const int64_t slot = find_topic(rows.topics + start, rows.lengths[word], topic);
    rows.totals[topic] -= count;
    if ((rows.counts[start + slot] -= count) > 0) return;
    const int64_t last = --rows.lengths[word];
    rows.topics[start + slot] = rows.topics[start + last];
    rows.counts[start + slot] = rows.counts[start + last];
}

inline void count_topics(const Documents& documents, int64_t n_entries, const uint16_t* topics, const TopicRows& rows) {
    for (int64_t entry = 0; entry < n_entries; ++entry)
        add_tokens(rows, documents.words[entry], topics[entry], documents.counts[entry]);
}

// Bring the rows from one assignment to another; returns how many tokens changed their topic.
inline int64_t recount_topics(const Documents& documents, int64_t n_entries, const uint16_t* before,
                              const uint16_t* after, const TopicRows& rows) {
    constexpr int64_t stride = 32;  // most entries keep their topics: look for changes in so many at a time
    int64_t moved = 0;
    for (int64_t first = 0; first < n_entries; first += stride) {
        const int64_t last = std::min(first + stride, n_entries);
        if (std::equal(before + first, before + last, after + first)) continue;
        for (int64_t entry = first; entry < last; ++entry) {
            if (before[entry] == after[entry]) continue;
            moved += documents.counts[entry];
            remove_tokens(rows, documents.words[entry], before[entry], documents.counts[entry]);
            add_tokens(rows, documents.words[entry], after[entry], documents.counts[entry]);
        }
    }
    return moved;
}

// A row whose topics change places, together with their counts and costs.
struct CostedRow {
    void swap(int64_t i, int64_t j) const {
        std::swap(costs[i], costs[j]);
        std::swap(topics[i], topics[j]);
        std::swap(counts[i], counts[j]);
    }
    void sift(int64_t root, int64_t end) const {
        for (int64_t child; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end && costs[child + 1] > costs[child]) ++child;
            if (costs[child] <= costs[root]) return;
            swap(root, child);
        }
    }
    int32_t* costs;
    uint16_t* topics;
    int64_t* counts;
};

// Order a row by its costs. Rows change little between two calls, so that moving neighbours does it; if not, a heap.
inline void sort_row(const CostedRow& row, int64_t length) {
    int64_t moves = 4 * length;
    for (int64_t i = 1; i < length && moves >= 0; ++i)
        for (int64_t j = i; j > 0 && row.costs[j] < row.costs[j - 1]; --j, --moves) row.swap(j, j - 1);
    if (moves >= 0) return;
    for (int64_t root = length / 2 - 1; root >= 0; --root) row.sift(root, length);
    for (int64_t end = length - 1; end > 0; --end) {
        row.swap(0, end);
        row.sift(0, end);
    }
}

// Costs of the words first .. last: log(N_k + V smoothing) - log(n_kw + smoothing), in a table if there is one. If not,
// the rows are put in their order.
inline void word_costs(const TopicRows& rows, int64_t first, int64_t last, double smoothing, const int32_t* log_table,
                       const int32_t* log_totals, const CostRows& result, int32_t* costs, int32_t* table) {
    for (int64_t word = first; word < last; ++word) {
        const int64_t start = rows.starts[word], length = rows.lengths[word];
        if (length == 0) continue;
        for (int64_t slot = start; slot < start + length; ++slot) {
            const int64_t n = rows.counts[slot];
            const int32_t log_n = n < table_size ? log_table[n] : fixed_log(static_cast<double>(n) + smoothing);
            costs[slot] = log_totals[rows.topics[slot]] - log_n;
        }
        if (table) {
            int32_t* row = table + word * result.n_padded;
            std::fill(std::copy_n(result.absent, rows.n_topics, row), row + result.n_padded, far);
            for (int64_t slot = start; slot < start + length; ++slot) row[rows.topics[slot]] = costs[slot];
        } else {
            sort_row({costs + start, rows.topics + start, rows.counts + start}, length);
        }
    }
}

}  // namespace crisp::CRISP_ISA
