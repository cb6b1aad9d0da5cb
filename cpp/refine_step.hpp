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

constexpr int64_t few_topics = 64;  // so few that all are considered: looking for the likely ones costs more

// A mini-topic, seen from its topic: what it costs there, and how its words would have to be liked elsewhere.
struct MiniTopic {
    const int32_t* words;
    const int32_t* counts;
    const int64_t* members;
    int64_t size;
    uint16_t topic;
    int64_t tokens, apart;  // tokens, and the sum of n log n of its counts
    int64_t cost;           // what the topic's cost falls by when they leave
    float factor;           // see `mark_likely`
};

inline MiniTopic look_at(const int32_t* words, const int32_t* counts, uint16_t topic, const TopicRows& rows,
                         const int64_t* table, const RefineSpace& space) {
    MiniTopic mini{words, counts, space.members + space.begins[topic], space.sizes[topic], topic, 0, 0, 0, 0};
    double logs = 0;
    for (int64_t i = 0; i < mini.size; ++i) {
        const int64_t t = mini.members[i], start = rows.starts[words[t]], count = counts[t];
        const int64_t slot = find_topic(rows.topics + start, rows.lengths[words[t]], topic);
        const int64_t here = slot < 0 ? count : rows.counts[start + slot], cost = xlogx(here, table);
        space.here[i] = here;
        mini.tokens += count;
        mini.apart += xlogx(count, table);
        mini.cost -= cost - xlogx(here - count, table);
        if (rows.n_topics > few_topics)
            logs += static_cast<double>(count) * static_cast<double>(cost) / static_cast<double>(here);
    }
    const auto tokens = static_cast<double>(mini.tokens), total = static_cast<double>(rows.totals[topic]);
    mini.cost += space.total_costs[topic] - fixed_xlogx(rows.totals[topic] - mini.tokens);
    const double at_psi = tokens * static_cast<double>(space.total_costs[topic]) / total - logs;
    const double excess = (static_cast<double>(mini.cost) - at_psi) / (unit * tokens);
    double factor = std::max(0.0, 1.0 - excess / 8.0);  // its eighth power is below exp(-excess)
    for (int i = 0; i < 3; ++i) factor *= factor;
    mini.factor = static_cast<float>(0.999 * factor / total);
    return mini;
}

// Mark the topics that may be better for the mini-topic than its own, of those that the document does not use. By
// convexity a topic costs the mini-topic at least the sum of count * log(N_k / (n_kw + count)). Where that is less than
// it costs at home, it is less for one of its words at least: n_kw + count exceeds N_k psi of the word at home, nearly.
inline int64_t mark_likely(const MiniTopic& mini, int64_t n_marked, const TopicRows& rows, const RefineSpace& space) {
    const float* inverse = space.inverse;
    float least = INFINITY;
    for (int64_t i = 0; i < mini.size; ++i)
        least = std::min(
            least, mini.factor * static_cast<float>(space.here[i]) / static_cast<float>(mini.counts[mini.members[i]]));
    for (int64_t i = 0; i < mini.size; ++i) {
        const int64_t t = mini.members[i], start = rows.starts[mini.words[t]], length = rows.lengths[mini.words[t]];
        const uint16_t* topics = rows.topics + start;
        const int64_t* in_topics = rows.counts + start;
        const auto count = static_cast<float>(mini.counts[t]);
        const float needed = mini.factor * static_cast<float>(space.here[i]);
        const auto likely = [&](int64_t slot) {
            const float scale = inverse[topics[slot]];
            return ((static_cast<float>(in_topics[slot]) + count) * scale > needed) | (scale > least);
        };
        for (int64_t first = 0; first < length; first += lanes) {
            const int64_t last = std::min(first + lanes, length);
            int32_t any = 0;
            if (last == first + lanes)
                for (int64_t j = 0; j < lanes; ++j) any |= likely(first + j);
            else
                any = 1;
            if (!any) continue;
            for (int64_t slot = first; slot < last; ++slot) {
                space.marked[n_marked] = topics[slot];
                const bool add = likely(slot) && !space.marks[topics[slot]];
                space.marks[topics[slot]] |= add;
                n_marked += add;
            }
        }
    }
    return n_marked;
}

// The best topic for the mini-topic `topic` of the document whose entries begin at `words` and `counts`. The first
// `n_used` marked topics are those of the document and the smallest of all.
inline uint16_t best_topic(const int32_t* words, const int32_t* counts, uint16_t topic, int64_t n_used,
                           const TopicRows& rows, int64_t penalty, const int64_t* table, const RefineSpace& space) {
    const MiniTopic mini = look_at(words, counts, topic, rows, table, space);
    const int64_t n_marked = rows.n_topics <= few_topics ? n_used : mark_likely(mini, n_used, rows, space);
    for (int64_t i = 0; i < mini.size; ++i) {
        const int64_t t = mini.members[i], start = rows.starts[words[t]], length = rows.lengths[words[t]];
        const int64_t count = counts[t], alone = xlogx(count, table);
        int64_t n_slots = 0;
        for (int64_t slot = start; slot < start + length; ++slot) {
            space.slots[n_slots] = slot;
            n_slots += space.marks[rows.topics[slot]];
        }
        for (int64_t j = 0; j < n_slots; ++j) {
            const int64_t n = rows.counts[space.slots[j]];
            space.gains[rows.topics[space.slots[j]]] += xlogx(n + count, table) - xlogx(n, table) - alone;
        }
    }
    const int64_t leaving = -mini.cost - penalty;
    int64_t least = -leaving;
    uint16_t best = topic;
    for (int64_t i = 0; i < n_marked; ++i) {
        const uint16_t other = space.marked[i];
        const int64_t rest = (space.sizes[other] > 0 ? 0 : penalty) - mini.apart - space.gains[other];
        space.gains[other] = 0;
        if (i >= n_used) space.marks[other] = 0;
        if (other == topic || mini.tokens * space.rises[other] + rest > least) continue;
        const int64_t joining = fixed_xlogx(rows.totals[other] + mini.tokens) - space.total_costs[other] + rest;
        if (joining < least || (joining == least && best != topic && other < best)) {
            least = joining;
            best = other;
        }
    }
    return best;
}

// Mark the topics that every mini-topic of the document considers: its topics and the smallest of all, or, if there are
// few, all. Returns how many they are.
inline int64_t mark_present(int64_t n_used, uint16_t smallest, int64_t n_topics, const RefineSpace& space) {
    int64_t n_marked = n_topics;
    if (n_topics <= few_topics) {
        for (int64_t topic = 0; topic < n_topics; ++topic) space.marked[topic] = static_cast<uint16_t>(topic);
    } else {
        for (int64_t i = 0; i < n_used; ++i) space.marked[i] = space.used[i];
        space.marked[n_used] = smallest;
        n_marked = n_used + (space.sizes[smallest] == 0);
    }
    for (int64_t i = 0; i < n_marked; ++i) space.marks[space.marked[i]] = 1;
    return n_marked;
}

inline void refine_propose(const Documents& documents, const int64_t* order, int64_t n_order, const TopicRows& rows,
                           int64_t penalty, const int64_t* table, const uint16_t* topics, uint16_t* wishes,
                           const RefineSpace& space) {
    uint16_t smallest = 0;
    for (int64_t topic = 0; topic < rows.n_topics; ++topic) {
        space.total_costs[topic] = fixed_xlogx(rows.totals[topic]);
        const int64_t total = rows.totals[topic];
        if (total < rows.totals[smallest]) smallest = static_cast<uint16_t>(topic);
        space.inverse[topic] = total > 0 ? 1.0F / static_cast<float>(total) : 0;
        // N log N rises by at least 1 + log N for each token that joins; less a little for rounding.
        space.rises[topic] = total > 0 ? space.total_costs[topic] / total + static_cast<int64_t>(unit) - 4 : -4;
    }
    for (int64_t place = 0; place < n_order; ++place) {
        const int64_t begin = documents.indptr[order[place]], n = documents.indptr[order[place] + 1] - begin;
        const int64_t n_used = group_entries(topics + begin, n, space);
        const int64_t n_marked = mark_present(n_used, smallest, rows.n_topics, space);
        for (int64_t i = 0; i < n_used; ++i) {
            const uint16_t topic = space.used[i];
            const uint16_t wish = best_topic(documents.words + begin, documents.counts + begin, topic, n_marked, rows,
                                             penalty, table, space);
            for (int64_t m = 0; m < space.sizes[topic]; ++m)
                wishes[begin + space.members[space.begins[topic] + m]] = wish;
        }
        for (int64_t i = 0; i < n_marked; ++i) space.marks[space.marked[i]] = 0;
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
