// Word: greedy facility location for each document (the paper's Algorithm 1), without sorting, over sparse word rows.
//
// A closed topic's least ratio (penalty + sum of costs) / tokens is the root of a convex function; Newton's iteration
// from above finds it exactly in a few passes, and a topic that cannot beat the best so far is dismissed after one. An
// open topic takes a word as soon as no ratio is below the word's cost in it. Once a topic is open, a closed one counts
// only for words it is nearer to; when all that they would save is at most the penalty, it never opens in the document.
#pragma once

#include <algorithm>

#include "views.hpp"

namespace crisp::CRISP_ISA {

constexpr int64_t lanes = 16;  // lists are padded to this length, so that vector loops have no remainder
constexpr int32_t marked = -1;

// Is a/b < c/d (-1), equal (0) or more (1)? Exact, and without a product wider than 64 bits.
inline int compare_ratios(int64_t a, int64_t b, int64_t c, int64_t d) {
    for (int sign = 1;; sign = -sign) {
        const int64_t left = a / b, right = c / d;
        if (left != right) return left < right ? -sign : sign;
        a %= b;
        c %= d;
        if (a == 0 || c == 0) return a == c ? 0 : (a == 0 ? -sign : sign);
        std::swap(a, b);
        std::swap(c, d);
    }
}

// Tokens of one list with costs up to x, and the sum of those costs. Sum is int32 where the document is so short that
// nothing can overflow: the vectors hold twice as many.
template <class Sum>
inline void sum_below(const int32_t* costs, const int32_t* counts, int64_t size, int32_t x, int64_t& tokens,
                      int64_t& spent) {
    const int64_t padded = (size + lanes - 1) & ~(lanes - 1);
    Sum token_sum = 0, cost_sum = 0;
    for (int64_t i = 0; i < padded; ++i) {
        const Sum count = costs[i] <= x ? counts[i] : 0;
        token_sum += count;
        cost_sum += count * static_cast<Sum>(costs[i]);
    }
    tokens = token_sum;
    spent = cost_sum;
}

template <class Sum>
class DocumentAssignment {
  public:
    DocumentAssignment(const CostRows& rows, int64_t penalty, const WordSpace& space)
        : rows_(rows), penalty_(penalty), space_(space) {
        for (int64_t topic = 0; topic < rows.n_topics; ++topic) smoothed_ |= rows.absent[topic] < far;
    }

    void run(const int32_t* words, const int32_t* counts, int64_t n, uint16_t* result) {
        n_ = n;
        result_ = result;
        least_absent_open_ = far;
        any_open_ = false;
        make_lists(words, counts);
        while (unmarked_ > 0) {
            const Ratio best = least_ratio();
            if (!mark_nearest(static_cast<int32_t>(best.floor))) open(static_cast<uint16_t>(best.topic), best.floor);
        }
        for (int64_t i = 0; i < n_touched_; ++i) space_.sizes[space_.touched[i]] = 0;
    }

  private:
    void make_lists(const int32_t* words, const int32_t* counts) {
        const int64_t stride = (n_ + lanes - 1) & ~(lanes - 1);
        if (rows_.n_topics * stride <= small_room)
            place_all(stride);
        else
            place_touched(words);
        start_words(words, counts);
        fill_lists(words, counts);
        if (smoothed_) add_untouched();
    }

    // Room for every word in every topic: in a short document that is quicker than to count first.
    void place_all(int64_t stride) {
        for (int64_t topic = 0; topic < rows_.n_topics; ++topic) {
            space_.touched[topic] = static_cast<uint16_t>(topic);
            space_.begins[topic] = space_.sizes[topic] = topic * stride;
        }
        n_touched_ = rows_.n_topics;
    }

    // Room for the words that each topic has, and for no topic that has none.
    void place_touched(const int32_t* words) {
        uint16_t* touched = space_.touched;
        int64_t* sizes = space_.sizes;
        int64_t n_touched = 0, end = 0;
        for (int64_t t = 0; t < n_; ++t) {
            const uint16_t* topics = rows_.topics + rows_.starts[words[t]];
            const int64_t length = rows_.lengths[words[t]];
            for (int64_t slot = 0; slot < length; ++slot) {
                touched[n_touched] = topics[slot];
                n_touched += sizes[topics[slot]]++ == 0;
            }
        }
        for (int64_t i = 0; i < n_touched; ++i) {
            const uint16_t topic = touched[i];
            const int64_t room = (sizes[topic] + lanes - 1) & ~(lanes - 1);
            space_.begins[topic] = sizes[topic] = end;
            end += room;
        }
        n_touched_ = n_touched;
    }

    void start_words(const int32_t* words, const int32_t* counts) {
        Sum unmarked = 0;
        for (int64_t t = 0; t < n_; ++t) {
            const bool known = rows_.lengths[words[t]] > 0;
            space_.weights[t] = counts[t];
            space_.nearest[t] = known ? far : marked;
            unmarked += known ? counts[t] : 0;
            result_[t] = no_topic;
        }
        unmarked_ = unmarked;
    }

    void add_alive(int64_t place, uint16_t topic, int64_t bound) {
        space_.alive[place] = topic;
        space_.bounds[place] = bound;
    }

    // While a list is filled, `sizes` holds the place where its next word goes.
    void fill_lists(const int32_t* words, const int32_t* counts) {
        int64_t* ends = space_.sizes;
        for (int64_t t = 0; t < n_; ++t) {
            const int64_t start = rows_.starts[words[t]];
            const int64_t end = start + rows_.lengths[words[t]];
            const int32_t count = counts[t];
            for (int64_t slot = start; slot < end; ++slot) {
                const int64_t place = ends[rows_.topics[slot]]++;
                space_.costs[place] = rows_.costs[slot];
                space_.counts[place] = count;
                space_.entries[place] = static_cast<int32_t>(t);
            }
        }
        n_alive_ = 0;
        for (int64_t i = 0; i < n_touched_; ++i) {
            const uint16_t topic = space_.touched[i];
            space_.sizes[topic] -= space_.begins[topic];
            if (space_.sizes[topic] == 0) continue;
            pad(topic);
            // The first round looks at every topic; the longest list is likely to give the best ratio.
            add_alive(n_alive_++, topic, -space_.sizes[topic]);
        }
    }

    // With smoothing, topics that have none of the words may open too; they differ only by their cost for absent words.
    void add_untouched() {
        int64_t best = -1;
        for (int64_t topic = 0; topic < rows_.n_topics; ++topic)
            if (space_.sizes[topic] == 0 && rows_.absent[topic] < (best < 0 ? far : rows_.absent[best])) best = topic;
        if (best < 0) return;
        space_.begins[best] = 0;
        add_alive(n_alive_++, static_cast<uint16_t>(best), 0);
    }

    void pad(uint16_t topic) {
        const int64_t begin = space_.begins[topic];
        for (int64_t i = begin + space_.sizes[topic]; (i - begin) % lanes != 0; ++i) {
            space_.costs[i] = far;
            space_.counts[i] = 0;
            space_.entries[i] = 0;
        }
    }

    // The closed topic of least ratio. A ratio only grows while words get marked, so an old one is a lower bound: only
    // topics whose bound does not exceed the best so far are looked at, the most promising one first.
    Ratio least_ratio() {
        Ratio best{0, 0, -1, far - 1};
        if (n_alive_ == 0) return best;
        int64_t least = 0;
        for (int64_t i = 1; i < n_alive_; ++i) least = space_.bounds[i] < space_.bounds[least] ? i : least;
        std::swap(space_.alive[0], space_.alive[least]);
        std::swap(space_.bounds[0], space_.bounds[least]);
        for (int64_t i = 0; i < n_alive_;) {
            if (space_.bounds[i] > best.floor) {
                ++i;
            } else if (any_open_ && !prune(space_.alive[i])) {
                close(i);
            } else {
                space_.bounds[i] = improve(space_.alive[i], best);
                ++i;
            }
        }
        return best;
    }

    void close(int64_t place) {
        --n_alive_;
        space_.alive[place] = space_.alive[n_alive_];
        space_.bounds[place] = space_.bounds[n_alive_];
    }

    // Newton's iteration: the words that cost at most x give the next, lower x, until x and the words agree. Takes the
    // topic as the best if it is; returns a lower bound of its ratio.
    int64_t improve(uint16_t topic, Ratio& best) const {
        const int32_t* costs = space_.costs + space_.begins[topic];
        const int32_t* counts = space_.counts + space_.begins[topic];
        const int64_t size = space_.sizes[topic], absent = rows_.absent[topic];
        int64_t rest = unmarked_;  // tokens of words that the topic lacks
        if (absent < far)
            for (int64_t i = 0; i < size; ++i) rest -= counts[i];
        int64_t x = best.floor;
        for (bool first = true;; first = false) {
            int64_t tokens, spent;
            sum_below<Sum>(costs, counts, size, static_cast<int32_t>(x), tokens, spent);
            if (absent <= x) {
                tokens += rest;
                spent += rest * absent;
            }
            spent += penalty_;
            if (first && best.tokens > 0) {
                // By `short_of` the bids at x fall short of the penalty; above x they grow by at most all tokens.
                const int64_t short_of = spent - x * tokens;
                const bool clearly = tokens == 0 || (short_of >= tokens && x < far - 1);
                const int order = clearly ? 1 : compare_ratios(spent, tokens, best.spent, best.tokens);
                if (order > 0) return std::min<int64_t>(x + std::max<int64_t>(0, short_of) / unmarked_, far - 1);
                if (order == 0 && topic > best.topic) return x;
            }
            if (tokens == 0) return far - 1;
            const int64_t next = std::min<int64_t>(spent / tokens, far - 1);
            if (next == x) {
                best = {spent, tokens, topic, x};
                return x;
            }
            x = next;
        }
    }

    // Give their nearest open topic to all words that cost at most x there.
    bool mark_nearest(int32_t x) {
        const int32_t* weights = space_.weights;
        int32_t* nearest = space_.nearest;
        Sum tokens = 0;
        CRISP_INDEPENDENT
        for (int64_t t = 0; t < n_; ++t) {
            const bool reached = (nearest[t] >= 0) & (nearest[t] <= x);
            tokens += reached ? weights[t] : 0;
            nearest[t] = reached ? marked : nearest[t];
        }
        unmarked_ -= tokens;
        return tokens > 0;
    }

    void open(uint16_t topic, int64_t x) {
        const int64_t begin = space_.begins[topic], end = begin + space_.sizes[topic];
        for (int64_t i = begin; i < end; ++i)
            if (space_.counts[i] > 0) offer(space_.entries[i], topic, space_.costs[i], x);
        const int32_t absent = rows_.absent[topic];
        if (absent < far)
            for (int64_t t = 0; t < n_; ++t)
                if (space_.nearest[t] != marked) offer(t, topic, absent, x);
        least_absent_open_ = std::min(least_absent_open_, absent);
        any_open_ = true;
        for (int64_t i = 0; i < n_alive_; ++i)
            if (space_.alive[i] == topic) close(i);
    }

    void offer(int64_t t, uint16_t topic, int32_t cost, int64_t x) {
        if (cost < space_.nearest[t] || (cost == space_.nearest[t] && topic < result_[t])) {
            space_.nearest[t] = cost;
            result_[t] = topic;
        }
        if (cost <= x) {
            space_.nearest[t] = marked;
            unmarked_ -= space_.weights[t];
        }
    }

    // Take marked words, and words nearer to an open topic, out of the list; returns whether the topic can still open.
    bool prune(uint16_t topic) {
        const int32_t* costs = space_.costs + space_.begins[topic];
        const int32_t* entries = space_.entries + space_.begins[topic];
        const int32_t* nearest_costs = space_.nearest;
        int32_t* counts = space_.counts + space_.begins[topic];
        const int64_t padded = (space_.sizes[topic] + lanes - 1) & ~(lanes - 1);
        Sum savings = 0, tokens = 0;
        int32_t needed = 0;  // tokens of words without an open topic
        CRISP_INDEPENDENT
        for (int64_t i = 0; i < padded; ++i) {
            const int32_t nearest = nearest_costs[entries[i]];
            const int32_t count = costs[i] <= nearest ? counts[i] : 0;
            counts[i] = count;
            tokens += count;
            needed |= nearest == far ? count : 0;
            savings += static_cast<Sum>(count) * (nearest == far ? 0 : nearest - costs[i]);
        }
        const int64_t rest = (unmarked_ - tokens) * std::max<int64_t>(0, least_absent_open_ - rows_.absent[topic]);
        return needed != 0 || savings + rest > penalty_;
    }

    const CostRows& rows_;
    const int64_t penalty_;
    const WordSpace& space_;
    int64_t n_ = 0, unmarked_ = 0, n_alive_ = 0, n_touched_ = 0;
    int32_t least_absent_open_ = far;
    bool any_open_ = false, smoothed_ = false;
    uint16_t* result_ = nullptr;
};

// `largest_cost` bounds all finite costs in the rows.
inline void word_step(const Documents& documents, int64_t first, int64_t last, const CostRows& rows, int64_t penalty,
                      int64_t largest_cost, uint16_t* result, const WordSpace& space) {
    DocumentAssignment<int32_t> narrow(rows, penalty, space);
    DocumentAssignment<int64_t> wide(rows, penalty, space);
    for (int64_t document = first; document < last; ++document) {
        const int64_t begin = documents.indptr[document], n = documents.indptr[document + 1] - begin;
        int64_t tokens = 0;
        for (int64_t entry = begin; entry < begin + n; ++entry) tokens += documents.counts[entry];
        const int32_t *words = documents.words + begin, *counts = documents.counts + begin;
        if (tokens < INT32_MAX / (largest_cost + 1))
            narrow.run(words, counts, n, result + begin);
        else
            wide.run(words, counts, n, result + begin);
    }
}

// What one document's topics cost under the given costs, with the penalty for each topic used. `seen`: one per topic.
inline int64_t document_cost(const int32_t* words, const int32_t* counts, int64_t n, const CostRows& rows,
                             int64_t penalty, const uint16_t* topics, int64_t* seen, int64_t stamp) {
    int64_t cost = 0;
    for (int64_t t = 0; t < n; ++t) {
        const int64_t start = rows.starts[words[t]];
        const int64_t slot = find_topic(rows.topics + start, rows.lengths[words[t]], topics[t]);
        cost += counts[t] * static_cast<int64_t>(slot < 0 ? rows.absent[topics[t]] : rows.costs[start + slot]);
        cost += seen[topics[t]] == stamp ? 0 : penalty;
        seen[topics[t]] = stamp;
    }
    return cost;
}

// Put the present topics back wherever the proposed ones do not cost less.
inline void keep_cheaper(const Documents& documents, int64_t first, int64_t last, const CostRows& rows, int64_t penalty,
                         const uint16_t* present, uint16_t* proposed, int64_t* seen) {
    for (int64_t topic = 0; topic < rows.n_topics; ++topic) seen[topic] = -1;
    for (int64_t document = first; document < last; ++document) {
        const int64_t begin = documents.indptr[document], n = documents.indptr[document + 1] - begin;
        const int32_t *words = documents.words + begin, *counts = documents.counts + begin;
        const int64_t old_cost = document_cost(words, counts, n, rows, penalty, present + begin, seen, 2 * document);
        const int64_t new_cost =
            document_cost(words, counts, n, rows, penalty, proposed + begin, seen, 2 * document + 1);
        if (old_cost <= new_cost) std::copy(present + begin, present + begin + n, proposed + begin);
    }
}

}  // namespace crisp::CRISP_ISA
