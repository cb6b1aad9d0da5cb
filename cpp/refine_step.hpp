// Refine: move whole mini-topics (the words of one document in one topic) where that lowers the objective.
//
// Propose, in parallel: the best topic of each mini-topic against the counts as they stand. Apply, one after the other:
// each move is evaluated again, exactly, and made only if it still lowers the objective.
#pragma once

#include <algorithm>

#include "topic_rows.hpp"

namespace crisp::CRISP_ISA {

inline int64_t xlogx(int64_t n, const int64_t* table) {
    return n < table_size ? table[n] : fixed_xlogx(n);
}

// Group the entries of a document by topic; returns the number of topics, listed in `space.used` as they first appear.
inline int64_t group_entries(const uint16_t* topics, int64_t n, const RefineSpace& space) {
    int64_t n_used = 0;
    for (int64_t t = 0; t < n; ++t) {
        space.used[n_used] = topics[t];
        n_used += space.sizes[topics[t]]++ == 0;
    }
    int64_t end = 0;
    for (int64_t i = 0; i < n_used; ++i) {
        space.begins[space.used[i]] = end;
        end += space.sizes[space.used[i]];
        space.sizes[space.used[i]] = 0;
    }
    for (int64_t t = 0; t < n; ++t) space.members[space.begins[topics[t]] + space.sizes[topics[t]]++] = t;
    return n_used;
}

inline void ungroup(int64_t n_used, const RefineSpace& space) {
    for (int64_t i = 0; i < n_used; ++i) space.sizes[space.used[i]] = 0;
}

// The best topic for the mini-topic `topic` of the document whose entries begin at `words` and `counts`.
inline uint16_t best_topic(const int32_t* words, const int32_t* counts, uint16_t topic, int64_t n_used,
                           uint16_t smallest, const TopicRows& rows, int64_t penalty, const int64_t* table,
                           const RefineSpace& space) {
    int64_t tokens = 0, apart = 0, leaving = 0, n_touched = 0;
    for (int64_t i = 0; i < space.sizes[topic]; ++i) {
        const int64_t t = space.members[space.begins[topic] + i];
        const int64_t start = rows.starts[words[t]], end = start + rows.lengths[words[t]], count = counts[t];
        const int64_t alone = xlogx(count, table);
        int64_t here = count;
        for (int64_t slot = start; slot < end; ++slot) {
            const uint16_t other = rows.topics[slot];
            const int64_t n = rows.counts[slot];
            here = other == topic ? n : here;
            space.touched[n_touched] = other;
            n_touched += space.gains[other] == 0;
            space.gains[other] += xlogx(n + count, table) - xlogx(n, table) - alone;
        }
        tokens += count;
        apart += alone;
        leaving += xlogx(here, table) - xlogx(here - count, table);
    }
    leaving += fixed_xlogx(rows.totals[topic] - tokens) - space.total_costs[topic] - penalty;

    int64_t least = INT64_MAX;
    uint16_t best = topic;
    const auto consider = [&](uint16_t other) {
        if (other == topic) return;
        const int64_t opening = space.sizes[other] > 0 ? 0 : penalty;
        const int64_t joining =
            fixed_xlogx(rows.totals[other] + tokens) - space.total_costs[other] - apart - space.gains[other] + opening;
        if (joining < least || (joining == least && other < best)) {
            least = joining;
            best = other;
        }
    };
    for (int64_t i = 0; i < n_touched; ++i) consider(space.touched[i]);
    for (int64_t i = 0; i < n_used; ++i) consider(space.used[i]);
    consider(smallest);
    for (int64_t i = 0; i < n_touched; ++i) space.gains[space.touched[i]] = 0;
    return best != topic && leaving + least < 0 ? best : topic;
}

inline void refine_propose(const Documents& documents, const int64_t* order, int64_t n_order, const TopicRows& rows,
                           int64_t penalty, const int64_t* table, const uint16_t* topics, uint16_t* wishes,
                           const RefineSpace& space) {
    uint16_t smallest = 0;
    for (int64_t topic = 0; topic < rows.n_topics; ++topic) {
        space.total_costs[topic] = fixed_xlogx(rows.totals[topic]);
        if (rows.totals[topic] < rows.totals[smallest]) smallest = static_cast<uint16_t>(topic);
    }
    for (int64_t place = 0; place < n_order; ++place) {
        const int64_t begin = documents.indptr[order[place]], n = documents.indptr[order[place] + 1] - begin;
        const int64_t n_used = group_entries(topics + begin, n, space);
        for (int64_t i = 0; i < n_used; ++i) {
            const uint16_t topic = space.used[i];
            const uint16_t wish = best_topic(documents.words + begin, documents.counts + begin, topic, n_used, smallest,
                                             rows, penalty, table, space);
            for (int64_t m = 0; m < space.sizes[topic]; ++m)
                wishes[begin + space.members[space.begins[topic] + m]] = wish;
        }
        ungroup(n_used, space);
    }
}

// What N log N - sum n log n of `topic` changes by when the listed words join it (sign 1) or leave it (sign -1).
inline int64_t change_of_topic(const int32_t* words, const int32_t* counts, const int64_t* members, int64_t size,
                               uint16_t topic, int64_t tokens, int64_t sign, const TopicRows& rows,
                               const int64_t* table) {
    int64_t change = fixed_xlogx(rows.totals[topic] + sign * tokens) - fixed_xlogx(rows.totals[topic]);
    for (int64_t i = 0; i < size; ++i) {
        const int64_t start = rows.starts[words[members[i]]];
        const int64_t slot = find_topic(rows.topics + start, rows.lengths[words[members[i]]], topic);
        const int64_t n = slot < 0 ? 0 : rows.counts[start + slot];
        change -= xlogx(n + sign * counts[members[i]], table) - xlogx(n, table);
    }
    return change;
}

inline void sort_topics(uint16_t* topics, int64_t n) {
    for (int64_t i = 1; i < n; ++i)
        for (int64_t j = i; j > 0 && topics[j] < topics[j - 1]; --j) std::swap(topics[j], topics[j - 1]);
}

inline void apply_document(const Documents& documents, int64_t document, const TopicRows& rows, int64_t penalty,
                           const int64_t* table, uint16_t* topics, const uint16_t* wishes, const RefineSpace& space,
                           RefineChange& total) {
    const int64_t begin = documents.indptr[document], n = documents.indptr[document + 1] - begin;
    if (std::equal(topics + begin, topics + begin + n, wishes + begin)) return;
    const int32_t *words = documents.words + begin, *counts = documents.counts + begin;
    std::copy(topics + begin, topics + begin + n, space.start_topics);
    const int64_t n_used = group_entries(space.start_topics, n, space);
    sort_topics(space.used, n_used);
    // From here on gains[k] is the number of the document's entries in topic k by now.
    for (int64_t i = 0; i < n_used; ++i) space.gains[space.used[i]] = space.sizes[space.used[i]];
    for (int64_t i = 0; i < n_used; ++i) {
        const uint16_t topic = space.used[i];
        const int64_t* members = space.members + space.begins[topic];
        const int64_t size = space.sizes[topic];
        const uint16_t wish = wishes[begin + members[0]];
        if (wish == topic) continue;
        int64_t tokens = 0;
        for (int64_t m = 0; m < size; ++m) tokens += counts[members[m]];
        const int64_t used = (space.gains[wish] == 0) - (space.gains[topic] == size);
        const int64_t change = change_of_topic(words, counts, members, size, topic, tokens, -1, rows, table) +
                               change_of_topic(words, counts, members, size, wish, tokens, 1, rows, table);
        if (change + penalty * used >= 0) continue;
        for (int64_t m = 0; m < size; ++m) {
            remove_tokens(rows, words[members[m]], topic, counts[members[m]]);
            add_tokens(rows, words[members[m]], wish, counts[members[m]]);
            topics[begin + members[m]] = wish;
        }
        space.gains[topic] -= size;
        space.gains[wish] += size;
        total = {total.words_cost + change, total.topics_used + used, total.moved + tokens};
    }
    for (int64_t t = 0; t < n; ++t) space.gains[space.start_topics[t]] = space.gains[topics[begin + t]] = 0;
    ungroup(n_used, space);
}

inline RefineChange refine_apply(const Documents& documents, const int64_t* order, int64_t n_order,
                                 const TopicRows& rows, int64_t penalty, const int64_t* table, uint16_t* topics,
                                 const uint16_t* wishes, const RefineSpace& space) {
    RefineChange change{0, 0, 0};
    for (int64_t place = 0; place < n_order; ++place)
        apply_document(documents, order[place], rows, penalty, table, topics, wishes, space, change);
    return change;
}

}  // namespace crisp::CRISP_ISA
