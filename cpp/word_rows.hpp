// How the word step reads costs: from a table with a row for each word, where topics are few, or from sparse rows. Both
// say what the entries of a document that are not marked bid for each topic (add_bids), and what some topics cost them
// (read_columns).
#pragma once

#include <algorithm>
#include <cstring>

#include "views.hpp"

namespace crisp::CRISP_ISA {

#if defined(__AVX512F__)
constexpr int64_t vector_width = 16;
#elif defined(__AVX2__)
constexpr int64_t vector_width = 8;
#else
constexpr int64_t vector_width = 4;
#endif

// Costs in a table: the topics of a word side by side.
class DenseCosts {
  public:
    static constexpr int32_t margin = 3 << 14;  // to where a topic opened, for a limit: costs only work

    explicit DenseCosts(const CostRows& rows) : rows_(rows) {}

    int64_t n_topics() const { return rows_.n_topics; }
    bool knows(int32_t word) const {
        for (int64_t topic = 0; topic < rows_.n_padded; topic += lanes)
            __builtin_prefetch(rows_.table + word * rows_.n_padded + topic);
        return rows_.lengths[word] > 0;
    }
    void start(const WordSpace&, int64_t) const {}  // from here on: nothing to remember between limits
    void read(const WordSpace&, int64_t, int32_t, int64_t&) const {}
    void move(const WordSpace&) const {}
    void open(const WordSpace&, uint16_t) const {}
    void close_all(const WordSpace&) const {}

    // What the entries bid for each topic at the limit; a bid ends at the entry's nearest open topic. Sum is int32 where
    // the document is so short that nothing can overflow: the vectors hold twice as many.
    template <class Sum>
    void add_bids(const WordSpace& space, int64_t n, int32_t limit) const {
        switch (rows_.n_padded / lanes) {
            case 1:
                return add_bids<Sum, 1>(space, n, limit);
            case 2:
                return add_bids<Sum, 2>(space, n, limit);
            case 3:
                return add_bids<Sum, 3>(space, n, limit);
            default:
                return add_bids<Sum, 4>(space, n, limit);
        }
    }

    // The entries' costs in some topics, one topic after the other.
    void read_columns(const WordSpace& space, int64_t n, const Candidate* topics, int64_t n_topics) const {
        for (int64_t column = 0; column < n_topics; ++column) {
            int32_t* costs = space.columns + column * space.stride;
            const int32_t* table = rows_.table + topics[column].topic;
            CRISP_INDEPENDENT
            for (int64_t i = 0; i < n; ++i) costs[i] = table[space.words[i] * rows_.n_padded];
        }
    }

  private:
    template <class Sum, int64_t n_groups>
    void add_bids(const WordSpace& space, int64_t n, int32_t limit) const {
        using Lanes [[gnu::vector_size(vector_width * sizeof(int32_t))]] = int32_t;  // plain loops do not keep the
        using Sums [[gnu::vector_size(vector_width * sizeof(Sum))]] = Sum;           // sums in registers
        constexpr int64_t n_vectors = n_groups * lanes / vector_width;
        Sums bids[n_vectors] = {};
        for (int64_t i = 0; i < n; ++i) {
            const int32_t* row = rows_.table + space.words[i] * rows_.n_padded;
            const int32_t cap = std::min(limit, space.nearest[i]), count = space.counts[i];
            for (int64_t v = 0; v < n_vectors; ++v) {
                Lanes costs;
                std::memcpy(&costs, row + v * vector_width, sizeof costs);
                const Lanes gains = cap - costs;
                bids[v] += count * __builtin_convertvector(gains & (gains > 0), Sums);
            }
        }
        for (int64_t topic = 0; topic < rows_.n_padded; ++topic)
            space.bids[topic] = bids[topic / vector_width][topic % vector_width];
    }

    const CostRows& rows_;
};

// Costs in rows that are in the order of their costs, so that only the topics below a limit need be read. What has been
// read stands in one list of pairs for the whole document: loops over it have no branches that are hard to foresee.
class SparseCosts {
  public:
    static constexpr int32_t margin = 7 << 14;  // more: here it is dearer to begin anew with a higher limit

    explicit SparseCosts(const CostRows& rows) : rows_(rows) {
        for (int64_t topic = 0; topic < rows.n_topics; ++topic)
            least_absent_ = std::min(least_absent_, rows.absent[topic]);
    }

    int64_t n_topics() const { return rows_.n_topics; }
    bool knows(int32_t word) const {
        const int64_t start = rows_.starts[word];
        __builtin_prefetch(rows_.costs + start);
        __builtin_prefetch(rows_.costs + start + lanes);
        __builtin_prefetch(rows_.topics + start);
        return rows_.lengths[word] > 0;
    }
    void start(const WordSpace& space, int64_t n) {
        n_pairs_ = 0;
        for (int64_t i = 0; i < n; ++i) space.nexts[space.entries[i]] = rows_.starts[space.words[i]];
    }
    void open(const WordSpace& space, uint16_t topic) {
        space.column_of[topic] = is_open;
        space.opened[n_opened_++] = topic;
    }
    void close_all(const WordSpace& space) {
        while (n_opened_ > 0) space.column_of[space.opened[--n_opened_]] = max_columns;
    }

    // Go on reading the entries' rows up to the limit, but not beyond an open topic.
    void read(const WordSpace& space, int64_t n, int32_t limit, int64_t& n_uncovered) {
        Pair* next = space.pairs + n_pairs_;
        n_uncovered = 0;
        for (int64_t i = 0; i < n; ++i) {
            int32_t nearest = space.nearest[i];
            uint16_t owner = space.owners[i];
            int64_t slot = space.nexts[space.entries[i]];
            const int64_t end = rows_.starts[space.words[i]] + rows_.lengths[space.words[i]];
            for (; slot < end; ++slot) {
                const uint16_t topic = rows_.topics[slot];
                const int32_t cost = rows_.costs[slot];
                if (cost >= limit || cost > nearest) break;
                *next++ = {cost, static_cast<int32_t>(i), topic};
                if (space.column_of[topic] != is_open) continue;
                if (cost < nearest || topic < owner) owner = topic;
                nearest = cost;
            }
            space.nexts[space.entries[i]] = slot;
            space.nearest[i] = nearest;
            space.owners[i] = owner;
            n_uncovered += nearest == far;
        }
        n_pairs_ = next - space.pairs;
    }

    // As above, but at least what they bid where a topic lacks words, and its cost for them is finite.
    template <class Sum>
    void add_bids(const WordSpace& space, int64_t n, int32_t limit) const {
        std::fill_n(space.bids, rows_.n_topics, 0);
        for (int64_t p = 0; p < n_pairs_; ++p) {
            const Pair pair = space.pairs[p];
            const int32_t gain = std::max(0, std::min(limit, space.nearest[pair.place]) - pair.cost);
            space.bids[pair.topic] += space.counts[pair.place] * static_cast<int64_t>(gain);
        }
        if (limit <= least_absent_) return;
        int64_t beyond = 0;  // tokens that may bid for a topic that lacks them
        int32_t most = 0;
        for (int64_t i = 0; i < n; ++i) {
            const int32_t cap = std::min(limit, space.nearest[i]);
            beyond += cap > least_absent_ ? space.counts[i] : 0;
            most = std::max(most, cap);
        }
        for (int64_t topic = 0; topic < rows_.n_topics; ++topic)
            space.bids[topic] += beyond * std::max(0, most - rows_.absent[topic]);
    }

    // As above; costs beyond the limit or the nearest open topic may be missing.
    void read_columns(const WordSpace& space, int64_t n, const Candidate* topics, int64_t n_topics) const {
        if (n_topics == 0) return;
        for (int64_t column = 0; column < n_topics; ++column) {
            space.column_of[topics[column].topic] = static_cast<int32_t>(column);
            std::fill_n(space.columns + column * space.stride, n, rows_.absent[topics[column].topic]);
        }
        for (int64_t p = 0; p < n_pairs_; ++p) {
            const Pair pair = space.pairs[p];
            space.columns[space.column_of[pair.topic] * space.stride + pair.place] = pair.cost;
        }
        for (int64_t column = 0; column < n_topics; ++column) space.column_of[topics[column].topic] = max_columns;
    }

    // Entries have moved to other places, or to none, which is negative.
    void move(const WordSpace& space) {
        int64_t n_pairs = 0;
        for (int64_t p = 0; p < n_pairs_; ++p) {
            const Pair pair = space.pairs[p];
            const int32_t place = space.places[pair.place];
            space.pairs[n_pairs] = {pair.cost, place, pair.topic};
            n_pairs += place >= 0;
        }
        n_pairs_ = n_pairs;
    }

  private:
    static constexpr int32_t is_open = max_columns + 1;

    const CostRows& rows_;
    int32_t least_absent_ = far;
    int64_t n_pairs_ = 0, n_opened_ = 0;
};

}  // namespace crisp::CRISP_ISA
