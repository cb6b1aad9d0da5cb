// Word: greedy facility location for each document (the paper's Algorithm 1), without sorting, over sparse word rows.
//
// As a ratio x rises, every unmarked word bids count * (x - cost) for each closed topic that costs it less than x; a
// topic opens where its bids reach the penalty, and takes the words that bid. A word is marked there, or where x reaches
// its cost in an open topic. Rows are in the order of their costs, and x rises in stages: up to a stage's limit only the
// topics below it need be read, and only a topic whose bids at the limit exceed the penalty can open before it.
#pragma once

#include <algorithm>

#include "word_lists.hpp"

namespace crisp::CRISP_ISA {

template <class Sum>
class DocumentAssignment {
  public:
    DocumentAssignment(const CostRows& rows, int64_t penalty, const WordSpace& space)
        : rows_(rows), penalty_(penalty), space_(space) {
        for (int64_t topic = 0; topic < rows.n_topics; ++topic)
            least_absent_ = std::min(least_absent_, rows.absent[topic]);
    }

    void run(const int32_t* words, const int32_t* counts, int64_t n, uint16_t* result) {
        n_ = n;
        result_ = result;
        start(words, counts);
        while (unmarked_ > 0) {
            advance(next_limit());
            while (unmarked_ > 0) {
                const Ratio best = least_ratio();
                if (best.tokens == 0) break;
                if (!mark_nearest(static_cast<int32_t>(best.floor))) open(best.topic, best.floor);
            }
            if (limit_ == far) break;  // no topic opens any more, and all words have their nearest
            mark_nearest(limit_ - 1);
        }
        lists_.clear();
    }

  private:
    void start(const int32_t* words, const int32_t* counts) {
        n_active_ = n_uncovered_ = unmarked_ = limit_ = n_changes_ = 0;
        least_absent_open_ = far;
        step_ = first_step;
        n_changes_before_ = 0;
        for (int64_t t = 0; t < n_; ++t) {
            const int64_t begin = rows_.starts[words[t]], length = rows_.lengths[words[t]];
            const bool known = length > 0;
            space_.begins[t] = space_.nexts[t] = begin;
            space_.ends[t] = begin + length;
            space_.next_costs[t] = known ? rows_.costs[begin] : far;
            space_.weights[t] = counts[t];
            space_.nearest[t] = known ? far : marked;
            space_.active[n_active_] = static_cast<int32_t>(t);
            n_active_ += known;
            unmarked_ += known ? counts[t] : 0;
            result_[t] = no_topic;
        }
        n_uncovered_ = n_known_ = n_active_;
    }

    // The limits change nothing but the work: the first is where another document's first topic opened.
    int32_t next_limit() {
        if (n_uncovered_ == 0) return far;
        if (limit_ == 0) return first_limit_;
        step_ = n_changes_ == n_changes_before_ ? 2 * step_ : first_step;
        n_changes_before_ = n_changes_;
        return static_cast<int32_t>(std::min<int64_t>(limit_ + step_, far));
    }

    // Go on to the next limit: all bids grow, and topics that cost up to the limit are read. At this point no unmarked
    // word has an open topic below the present limit.
    void advance(int32_t limit) {
        absent_matters_ = limit > least_absent_;
        if (absent_matters_) limit = far;
        lists_.raise_bids(limit - limit_);
        int64_t n_active = 0, n_todo = 0;
        for (int64_t i = 0; i < n_active_; ++i) {  // without branches: which words go on is hard to foresee
            const int32_t t = space_.active[i], nearest = space_.nearest[t], next = space_.next_costs[t];
            space_.active[n_active] = space_.todo[n_todo] = t;
            n_active += nearest != marked;
            n_todo += (nearest != marked) & ((nearest < limit) | ((next < limit) & (next <= nearest)));
        }
        n_active_ = n_active;
        for (int64_t i = 0; i < n_todo; ++i) {
            const int32_t t = space_.todo[i], nearest = space_.nearest[t];
            if (nearest < limit) lower_bids(t, limit, nearest);
            read_row(t, limit);
        }
        limit_ = limit;
        if (absent_matters_) add_absent();
        n_alive_ = lists_.find_alive(absent_matters_ ? -1 : needed());
    }

    // Read the topics that cost a word less than the limit, and no more than its nearest open topic.
    void read_row(int32_t t, int32_t limit) {
        const int64_t count = space_.weights[t];
        int32_t nearest = space_.nearest[t], cost = space_.next_costs[t];
        const int32_t cap = std::min(limit, nearest);
        int64_t slot = space_.nexts[t];
        while (cost < limit && cost <= nearest) {
            const uint16_t topic = rows_.topics[slot];
            if (!lists_.add(topic, cost, count, t, cap)) {  // it is open
                if (cost < nearest || topic < result_[t]) result_[t] = topic;
                nearest = cost;
            }
            cost = ++slot < space_.ends[t] ? rows_.costs[slot] : far;
        }
        space_.nexts[t] = slot;
        space_.next_costs[t] = cost;
        if (nearest == space_.nearest[t]) return;
        n_uncovered_ -= space_.nearest[t] == far;
        space_.nearest[t] = nearest;
        lower_bids(t, cap, nearest);
    }

    // With smoothing, topics that lack a word matter too. Those that have none of the words differ only by their cost
    // for absent words: the cheapest stands for all.
    void add_absent() {
        int64_t best = -1;
        for (int64_t topic = 0; topic < rows_.n_topics; ++topic)
            if (!lists_.has(topic) && rows_.absent[topic] < (best < 0 ? far : rows_.absent[best])) best = topic;
        if (best >= 0) lists_.id_of(static_cast<uint16_t>(best));
        const int64_t open = lists_.cheapest_open(rows_.absent);
        if (open < 0) return;
        least_absent_open_ = rows_.absent[open];
        for (int64_t t = 0; t < n_; ++t)
            if (space_.nearest[t] != marked) offer(t, static_cast<uint16_t>(open), least_absent_open_, marked);
    }

    // Bids must exceed this for a topic to open. Beyond all limits a word without an open topic bids what is needed.
    int64_t needed() const { return limit_ == far && n_uncovered_ > 0 ? -1 : penalty_; }

    // A word's bids end at `to` instead of at `from`, which is more.
    void lower_bids(int64_t t, int64_t from, int64_t to) {
        const int64_t count = space_.weights[t];
        for (int64_t slot = space_.begins[t]; slot < space_.nexts[t]; ++slot) {
            const int64_t cost = rows_.costs[slot];
            lists_.lower_bid(rows_.topics[slot], count * (std::max(from, cost) - std::max(to, cost)));
        }
    }

    void mark(int64_t t) {
        const int64_t count = space_.weights[t], cap = std::min(limit_, space_.nearest[t]);
        for (int64_t slot = space_.begins[t]; slot < space_.nexts[t]; ++slot)
            lists_.withdraw(rows_.topics[slot], count, count * std::max<int64_t>(0, cap - rows_.costs[slot]));
        n_uncovered_ -= space_.nearest[t] == far;
        space_.nearest[t] = marked;
        unmarked_ -= count;
    }

    // The closed topic of least ratio below the limit, if there is one. A ratio only grows while words get marked, so an
    // old one is a lower bound: only topics whose bound does not exceed the best so far are looked at, the most
    // promising one first.
    Ratio least_ratio() {
        Ratio best{0, 0, -1, limit_ - 1};
        if (n_alive_ == 0) return best;
        Candidate* alive = space_.alive;
        int64_t least = 0;
        for (int64_t i = 1; i < n_alive_; ++i) least = alive[i].bound < alive[least].bound ? i : least;
        std::swap(alive[0], alive[least]);
        for (int64_t i = 0; i < n_alive_;) {
            if (alive[i].bound > best.floor) {
                ++i;
            } else if (lists_.bids(alive[i].id) + absent_bids(alive[i].id) <= needed()) {
                alive[i] = alive[--n_alive_];
            } else {
                lists_.refresh(alive[i].id, space_.nearest, n_changes_);
                alive[i].bound = improve(alive[i].id, best);
                ++i;
            }
        }
        return best;
    }

    // What words could at most save in a topic that lacks them.
    int64_t absent_bids(int64_t id) const {
        if (!absent_matters_) return 0;
        const int64_t gain = least_absent_open_ - rows_.absent[lists_.topic(id)];
        return (unmarked_ - lists_.held(id)) * std::max<int64_t>(0, gain);
    }

    // Newton's iteration: the words that cost at most x give the next, lower x, until x and the words agree. Takes the
    // topic as the best if it is; returns a lower bound of its ratio.
    int64_t improve(int64_t id, Ratio& best) const {
        const int64_t absent = absent_matters_ ? rows_.absent[lists_.topic(id)] : far;
        const int64_t held = lists_.live(id), rest = absent < far ? unmarked_ - held : 0;  // tokens that it lacks
        int64_t x = best.floor;
        for (bool first = true;; first = false) {
            int64_t tokens, spent;
            lists_.template sum_below<Sum>(id, static_cast<int32_t>(x), tokens, spent);
            if (absent <= x) {
                tokens += rest;
                spent += rest * absent;
            }
            spent += penalty_;
            if (first) {
                // By `short_of` the bids at x fall short of the penalty; above x they grow by at most all tokens.
                const int64_t short_of = spent - x * tokens;
                const bool clearly = tokens == 0 || (short_of >= tokens && x < far - 1);
                const int order = clearly            ? 1
                                  : best.tokens == 0 ? -1
                                                     : compare_ratios(spent, tokens, best.spent, best.tokens);
                if (order > 0)
                    return std::min<int64_t>(x + std::max<int64_t>(0, short_of) / std::max<int64_t>(1, held + rest),
                                             far - 1);
                if (order == 0 && lists_.topic(id) > lists_.topic(best.topic)) return x;
            }
            const int64_t next = std::min<int64_t>(spent / tokens, far - 1);
            if (next >= x) {
                best = {spent, tokens, id, x};
                return x;
            }
            x = next;
        }
    }

    // Give their nearest open topic to all words that cost at most x there.
    bool mark_nearest(int32_t x) {
        int64_t n_reached = 0;
        for (int64_t i = 0; i < n_active_; ++i) {
            const int32_t t = space_.active[i], nearest = space_.nearest[t];
            space_.todo[n_reached] = t;
            n_reached += (nearest <= x) & (nearest != marked);
        }
        for (int64_t i = 0; i < n_reached; ++i) mark(space_.todo[i]);
        n_changes_ += n_reached > 0;
        return n_reached > 0;
    }

    void open(int64_t id, int64_t x) {
        const uint16_t topic = lists_.topic(id);
        if (n_uncovered_ == n_known_)
            first_limit_ = static_cast<int32_t>(std::min<int64_t>(x + first_step / 2, far / 2));
        lists_.close(id);
        lists_.for_each(id, [&](int32_t t, int32_t cost) { offer(t, topic, cost, x); });
        const int32_t absent = absent_matters_ ? rows_.absent[topic] : far;
        if (absent < far)
            for (int64_t t = 0; t < n_; ++t)
                if (space_.nearest[t] != marked) offer(t, topic, absent, x);
        least_absent_open_ = std::min(least_absent_open_, absent);
        ++n_changes_;
        for (int64_t i = 0; i < n_alive_; ++i)
            if (space_.alive[i].id == id) {
                space_.alive[i] = space_.alive[--n_alive_];
                break;
            }
    }

    void offer(int64_t t, uint16_t topic, int32_t cost, int64_t x) {
        const int32_t nearest = space_.nearest[t];
        if (cost < nearest || (cost == nearest && topic < result_[t])) result_[t] = topic;
        if (cost <= x) {
            mark(t);
        } else if (cost < nearest) {
            if (cost < limit_) lower_bids(t, std::min(nearest, limit_), cost);
            n_uncovered_ -= nearest == far;
            space_.nearest[t] = cost;
        }
    }

    const CostRows& rows_;
    const int64_t penalty_;
    const WordSpace& space_;
    TopicLists lists_{space_};
    int64_t n_ = 0, n_active_ = 0, n_uncovered_ = 0, n_known_ = 0, n_alive_ = 0, unmarked_ = 0, n_changes_ = 0,
            n_changes_before_ = 0, step_ = 0;
    int32_t limit_ = 0, first_limit_ = 8 * first_step, least_absent_ = far, least_absent_open_ = far;
    bool absent_matters_ = false;
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
