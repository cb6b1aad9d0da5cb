// Refine: move whole mini-topics (the words of one document in one topic) where that lowers the objective.
//
// Propose, in parallel: the best topic of each mini-topic against the counts as they stand. Apply, one after the other:
// each move is evaluated again, exactly, and made only if it still lowers the objective.
//
// Hardly any mini-topic moves, so bounds decide first, for all topics at once. Let f(n) = n log n. One more token of a
// word saves f(n + 1) - f(n) in a topic that has n of it; several tokens save at most that each and f of their number,
// which they save everywhere. These gains are kept, rounded up, for each word and topic. A gain also tells, nearly, the
// count that it belongs to, and so what the words save at least where they are.
#pragma once

#include <algorithm>
#include <bit>

#include "topic_rows.hpp"

namespace crisp::CRISP_ISA {

inline int64_t xlogx(int64_t n, const int64_t* table) {
    return n < table_size ? table[n] : fixed_xlogx(n);
}

// Of large counts 1 + log(n + 1), which is more; below 2^44 tokens it fits.
inline uint16_t joining_gain(int64_t n, const uint16_t* table) {
    if (n < table_size) return table[n];
    constexpr int32_t more = static_cast<int32_t>(unit) + 2 + (1 << gain_shift) - 1;
    return static_cast<uint16_t>((fixed_log(static_cast<double>(n + 1)) + more) >> gain_shift);
}

inline void row_gains(const Gains& gains, int64_t word) {
    const int64_t start = gains.rows.starts[word], length = gains.rows.lengths[word];
    uint16_t* row = gains.cells + (gains.width > 0 ? word * gains.width : start);
    std::fill(row, row + gains.width, 0);
    for (int64_t slot = 0; slot < length; ++slot)
        row[gains.width > 0 ? gains.rows.topics[start + slot] : slot] =
            joining_gain(gains.rows.counts[start + slot], gains.of_counts);
}

inline void joining_gains(const Gains& gains, int64_t first, int64_t last) {
    for (int64_t word = first; word < last; ++word) row_gains(gains, word);
}

// Find a document's rows, and the unit of bids in which they cannot overflow.
inline void find_rows(const int32_t* words, const int32_t* counts, int64_t n, const Gains& gains, RefineSpace& space) {
    int64_t tokens = 0;
    for (int64_t t = 0; t < n; ++t) tokens += counts[t];
    space.shift = std::max(0, static_cast<int>(std::bit_width(static_cast<uint64_t>(tokens))) - 14);
    if (gains.width > 0) return;
    for (int64_t t = 0; t < n; ++t) {
        space.starts[t] = gains.rows.starts[words[t]];
        space.lengths[t] = gains.rows.lengths[words[t]];
    }
}

// Chain the entries of a document by topic; returns the number of topics, listed in `space.used` as they first appear.
inline int64_t chain_entries(const uint16_t* topics, int64_t n, const RefineSpace& space) {
    int64_t n_used = 0;
    for (int64_t t = 0; t < n; ++t) {
        int32_t& first = space.firsts[topics[t]];
        space.used[n_used] = topics[t];
        n_used += first < 0;
        space.nexts[t] = first;
        first = static_cast<int32_t>(t);
    }
    return n_used;
}

inline void unchain(int64_t n_used, const RefineSpace& space) {
    for (int64_t i = 0; i < n_used; ++i) space.firsts[space.used[i]] = -1;
}

// The words of one document in one topic: a chain of entries that begins with `first` and ends before -1.
struct MiniTopic {
    const int32_t* words;
    const int32_t* counts;
    const int32_t* nexts;
    int32_t first;
    uint16_t topic;
};

// What N log N - sum n log n of `topic` changes by when the mini-topic joins it (sign 1) or leaves it (sign -1).
inline int64_t change_of_topic(const MiniTopic& mini, uint16_t topic, int64_t tokens, int64_t sign,
                               const TopicRows& rows, const int64_t* table) {
    int64_t change = xlogx(rows.totals[topic] + sign * tokens, table) - xlogx(rows.totals[topic], table);
    for (int32_t t = mini.first; t >= 0; t = mini.nexts[t]) {
        const int64_t start = rows.starts[mini.words[t]];
        const int64_t slot = find_topic(rows.topics + start, rows.lengths[mini.words[t]], topic);
        const int64_t n = slot < 0 ? 0 : rows.counts[start + slot];
        change -= xlogx(n + sign * mini.counts[t], table) - xlogx(n, table);
    }
    return change;
}

// Bounds of what the words of a mini-topic save: at least where they are; at most in each topic, in `space.bids`.
// Without the f(count) that they save anywhere.
struct Bids {
    int64_t size = 0, tokens = 0, staying = 0;
};

// What `count` tokens save at least in their own topic, where one more would save `gain`, beyond f(count).
inline int64_t staying_gain(uint16_t gain, int64_t count, const Gains& gains) {
    const int64_t n = std::max<int64_t>(gains.least_counts[gain], count);
    if (n < table_size) return gains.xlogx[n] - gains.xlogx[n - count] - gains.xlogx[count];
    return fixed_xlogx(n) - fixed_xlogx(n - count) - fixed_xlogx(count);
}

// What `count` tokens save at most in a topic, beyond f(count), in units of gains times 2^shift.
inline int32_t bid_of(int64_t count, uint16_t gain, int shift) {
    return static_cast<int32_t>((count * gain + (int64_t{1} << shift) - 1) >> shift);
}

inline Bids bid_densely(const MiniTopic& mini, const Gains& gains, const RefineSpace& space) {
    Bids sum;
    for (int32_t t = mini.first; t >= 0; t = mini.nexts[t]) {
        const int64_t place = mini.words[t] * gains.width;
        space.places[sum.size] = place;
        space.counts[sum.size++] = mini.counts[t];
        sum.tokens += mini.counts[t];
        sum.staying += staying_gain(gains.cells[place + mini.topic], mini.counts[t], gains);
    }
    int32_t* bids = space.bids;
    const int shift = space.shift;
    const int64_t together = shift == 0 ? sum.size / 4 * 4 : 0;
    for (int64_t i = 0; i < together; i += 4) {
        const uint16_t *a = gains.cells + space.places[i], *b = gains.cells + space.places[i + 1];
        const uint16_t *c = gains.cells + space.places[i + 2], *d = gains.cells + space.places[i + 3];
        const int32_t *n = space.counts + i, m[4] = {n[0], n[1], n[2], n[3]};
        CRISP_INDEPENDENT
        for (int64_t k = 0; k < gains.width; ++k) bids[k] += m[0] * a[k] + m[1] * b[k] + (m[2] * c[k] + m[3] * d[k]);
    }
    for (int64_t i = together; i < sum.size; ++i) {
        const uint16_t* row = gains.cells + space.places[i];
        const int64_t count = space.counts[i];
        CRISP_INDEPENDENT
        for (int64_t k = 0; k < gains.width; ++k) bids[k] += bid_of(count, row[k], shift);
    }
    return sum;
}

inline Bids bid_sparsely(const MiniTopic& mini, const Gains& gains, const RefineSpace& space) {
    Bids sum;
    int32_t* bids = space.bids;
    uint16_t* last_gains = space.last_gains;
    const int shift = space.shift;
    for (int32_t t = mini.first; t >= 0; t = mini.nexts[t]) {
        const uint16_t *topics = gains.rows.topics + space.starts[t], *row = gains.cells + space.starts[t];
        const int64_t count = mini.counts[t], length = space.lengths[t];
        for (int64_t slot = 0; slot < length; ++slot) {
            bids[topics[slot]] += bid_of(count, row[slot], shift);
            last_gains[topics[slot]] = row[slot];
        }
        ++sum.size;
        sum.tokens += count;
        sum.staying += staying_gain(last_gains[mini.topic], count, gains);
    }
    return sum;
}

// What a mini-topic costs at most where it is and at least elsewhere, as far as that differs between topics.
struct Bounds {
    float tokens, scale, limit;
    const RefineSpace& space;
    float of(int64_t topic) const {
        return tokens * space.rises[topic] - scale * static_cast<float>(space.bids[topic]) - space.bonus[topic];
    }
    bool any_within(int64_t first, int64_t last) const {
        int32_t any = 0;
        for (int64_t topic = first; topic < last; ++topic) any |= static_cast<int32_t>(of(topic) <= limit);
        return any != 0;
    }
};

// List the topics that may cost a mini-topic less than its own; returns how many they are.
inline int64_t list_candidates(const Bounds& bounds, const RefineSpace& space) {
    int64_t n = 0;
    if (!bounds.any_within(0, space.n_padded)) return n;
    for (int64_t first = 0; first < space.n_padded; first += 4 * lanes) {
        const int64_t last = std::min(first + 4 * lanes, space.n_padded);
        if (!bounds.any_within(first, last)) continue;
        for (int64_t topic = first; topic < last; ++topic) {
            space.candidates[n] = static_cast<uint16_t>(topic);
            n += static_cast<int64_t>(bounds.of(topic) <= bounds.limit);
        }
    }
    return n;
}

// The best of the candidates, evaluated exactly, the likeliest first; or the mini-topic's own topic. Of topics that
// share no word with the mini-topic, and that the document does not use, the smallest stands for all.
inline uint16_t best_candidate(const MiniTopic& mini, int64_t tokens, int64_t n, uint16_t smallest, Bounds bounds,
                               const Gains& gains, int64_t penalty, const RefineSpace& space) {
    uint16_t best = mini.topic;
    const int64_t staying = penalty - change_of_topic(mini, mini.topic, tokens, -1, gains.rows, gains.xlogx);
    const float limit = bounds.limit;
    int64_t least = staying;
    while (n > 0) {
        int64_t next = 0;
        for (int64_t i = 1; i < n; ++i)
            if (bounds.of(space.candidates[i]) < bounds.of(space.candidates[next])) next = i;
        const uint16_t topic = space.candidates[next];
        if (bounds.of(topic) > bounds.limit) break;
        space.candidates[next] = space.candidates[--n];
        const bool used = space.firsts[topic] >= 0;
        if (!used && space.bids[topic] == 0 && topic != smallest) continue;
        const int64_t joining = change_of_topic(mini, topic, tokens, 1, gains.rows, gains.xlogx) + (used ? 0 : penalty);
        if (joining > least || (joining == least && (best == mini.topic || best < topic))) continue;
        bounds.limit = limit - static_cast<float>(staying - joining) * (1 - 0x1p-20F);
        least = joining;
        best = topic;
    }
    return best;
}

inline uint16_t best_topic(const MiniTopic& mini, uint16_t smallest, const Gains& gains, int64_t penalty,
                           const RefineSpace& space) {
    const Bids sum = gains.width > 0 ? bid_densely(mini, gains, space) : bid_sparsely(mini, gains, space);
    const int64_t total = gains.rows.totals[mini.topic];
    const int64_t most = xlogx(total, gains.xlogx) - xlogx(total - sum.tokens, gains.xlogx) - sum.staying;
    const auto tokens = static_cast<float>(sum.tokens);
    // Rounding takes less than a unit for each token from the floats, and two for each word from the whole numbers.
    const float slack = 4 * tokens + static_cast<float>(sum.size + 8) * space.rounding;
    const Bounds bounds{tokens, std::ldexp(1.0F, space.shift + gain_shift), static_cast<float>(most) + slack, space};
    if (gains.rows.totals[smallest] == 0)
        space.rises[smallest] = static_cast<float>(xlogx(sum.tokens, gains.xlogx) / sum.tokens - 1);
    const int64_t n = list_candidates(bounds, space);
    uint16_t best = mini.topic;
    if (n > 0) best = best_candidate(mini, sum.tokens, n, smallest, bounds, gains, penalty, space);
    std::fill(space.bids, space.bids + space.n_padded, 0);
    return best;
}

// Bring what the bounds need to know of the topics up to date; returns the smallest topic.
inline uint16_t look_at_topics(const Gains& gains, RefineSpace& space) {
    uint16_t smallest = 0;
    int64_t largest_cost = 0;
    for (int64_t topic = 0; topic < gains.rows.n_topics; ++topic) {
        const int64_t total = gains.rows.totals[topic], cost = xlogx(total, gains.xlogx);
        if (total < gains.rows.totals[smallest]) smallest = static_cast<uint16_t>(topic);
        largest_cost = std::max(largest_cost, cost);
        // N log N rises by at least 1 + log N for each token that joins; less a little for rounding. Of the empty topics
        // only the smallest may be considered, and its rise depends on the mini-topic.
        space.rises[topic] = total > 0 ? static_cast<float>(cost / total + static_cast<int64_t>(unit) - 4) : INFINITY;
    }
    space.rounding = static_cast<float>(1 + (largest_cost >> 48));  // more than doubles round off n log n
    return smallest;
}

inline void refine_propose(const Documents& documents, const int64_t* order, int64_t n_order, const Gains& gains,
                           int64_t penalty, const uint16_t* topics, uint16_t* wishes, RefineSpace& space) {
    const uint16_t smallest = look_at_topics(gains, space);
    const float bonus = static_cast<float>(penalty) * (1 + 0x1p-20F);
    for (int64_t place = 0; place < n_order; ++place) {
        const int64_t begin = documents.indptr[order[place]], n = documents.indptr[order[place] + 1] - begin;
        std::copy(topics + begin, topics + begin + n, wishes + begin);
        find_rows(documents.words + begin, documents.counts + begin, n, gains, space);
        const int64_t n_used = chain_entries(topics + begin, n, space);
        for (int64_t i = 0; i < n_used; ++i) space.bonus[space.used[i]] = bonus;
        for (int64_t i = 0; i < n_used; ++i) {
            const uint16_t topic = space.used[i];
            const MiniTopic mini{documents.words + begin, documents.counts + begin, space.nexts, space.firsts[topic],
                                 topic};
            space.bonus[topic] = -INFINITY;
            const uint16_t wish = best_topic(mini, smallest, gains, penalty, space);
            space.bonus[topic] = bonus;
            if (wish == topic) continue;
            for (int32_t t = mini.first; t >= 0; t = mini.nexts[t]) wishes[begin + t] = wish;
        }
        for (int64_t i = 0; i < n_used; ++i) space.bonus[space.used[i]] = 0;
        unchain(n_used, space);
    }
}

inline void sort_topics(uint16_t* topics, int64_t n) {
    for (int64_t i = 1; i < n; ++i)
        for (int64_t j = i; j > 0 && topics[j] < topics[j - 1]; --j) std::swap(topics[j], topics[j - 1]);
}

inline void apply_document(const Documents& documents, int64_t document, const Gains& gains, int64_t penalty,
                           uint16_t* topics, const uint16_t* wishes, const RefineSpace& space, RefineChange& total) {
    const TopicRows& rows = gains.rows;
    const int64_t begin = documents.indptr[document], n = documents.indptr[document + 1] - begin;
    if (std::equal(topics + begin, topics + begin + n, wishes + begin)) return;
    const int32_t *words = documents.words + begin, *counts = documents.counts + begin;
    const int64_t n_used = chain_entries(topics + begin, n, space);
    sort_topics(space.used, n_used);
    for (int64_t t = 0; t < n; ++t) ++space.sizes[topics[begin + t]];
    for (int64_t i = 0; i < n_used; ++i) {
        const uint16_t topic = space.used[i];
        const MiniTopic mini{words, counts, space.nexts, space.firsts[topic], topic};
        const uint16_t wish = wishes[begin + mini.first];
        if (wish == topic) continue;
        int64_t tokens = 0, size = 0;
        for (int32_t t = mini.first; t >= 0; t = mini.nexts[t], ++size) tokens += counts[t];
        const int64_t used = (space.sizes[wish] == 0) - (space.sizes[topic] == size);
        const int64_t change = change_of_topic(mini, topic, tokens, -1, rows, gains.xlogx) +
                               change_of_topic(mini, wish, tokens, 1, rows, gains.xlogx);
        if (change + penalty * used >= 0) continue;
        for (int32_t t = mini.first; t >= 0; t = mini.nexts[t]) {
            remove_tokens(rows, words[t], topic, counts[t]);
            add_tokens(rows, words[t], wish, counts[t]);
            row_gains(gains, words[t]);
            topics[begin + t] = wish;
        }
        space.sizes[topic] -= size;
        space.sizes[wish] += size;
        total = {total.words_cost + change, total.topics_used + used, total.moved + tokens};
    }
    for (int64_t t = 0; t < n; ++t) space.sizes[topics[begin + t]] = 0;
    unchain(n_used, space);
}

inline RefineChange refine_apply(const Documents& documents, const int64_t* order, int64_t n_order, const Gains& gains,
                                 int64_t penalty, uint16_t* topics, const uint16_t* wishes, const RefineSpace& space) {
    RefineChange change{0, 0, 0};
    for (int64_t place = 0; place < n_order; ++place)
        apply_document(documents, order[place], gains, penalty, topics, wishes, space, change);
    return change;
}

}  // namespace crisp::CRISP_ISA
