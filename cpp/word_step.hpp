// Word: greedy facility location for each document (the paper's Algorithm 1), without sorting.
//
// As a ratio x rises, every unmarked word bids count * (x - cost) for each closed topic that costs it less than x; a
// topic opens where its bids reach the penalty, and takes the words that bid. A word is marked there, or where x reaches
// its cost in an open topic. x rises from limit to limit. Bids end at a word's nearest open topic; only a topic whose
// bids at the limit exceed the penalty can open below it, and the words' costs in these few topics, the candidates, are
// all that is looked at closely.
#pragma once

#include <algorithm>

#include "word_rows.hpp"

namespace crisp::CRISP_ISA {

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

template <class Costs, class Sum>
class DocumentAssignment {
  public:
    DocumentAssignment(const CostRows& rows, int64_t penalty, const WordSpace& space)
        : costs_(rows), penalty_(penalty), space_(space) {}

    void run(const int32_t* words, const int32_t* counts, int64_t n, uint16_t* result) {
        start(words, counts, n, result);
        while (n_ > 0) {
            int32_t limit = next_limit();
            costs_.read(space_, n_, limit, n_uncovered_);
            find_candidates(limit);
            if (n_candidates_ > max_columns) limit = keep_best(limit);
            costs_.read_columns(space_, n_, space_.candidates, n_candidates_);
            look_at_candidates(limit - 1);
            for (Ratio best; (best = next_opening(limit)).tokens > 0;) open(best);
            if (limit == far && n_uncovered_ == 0) break;
            mark(limit - 1, result);
        }
        for (int64_t i = 0; i < n_; ++i) result[space_.entries[i]] = space_.owners[i];
        costs_.close_all(space_);
    }

  private:
    static constexpr int32_t first_step = 3 << 14;

    void start(const int32_t* words, const int32_t* counts, int64_t n, uint16_t* result) {
        n_ = tokens_ = 0;
        for (int64_t t = 0; t < n; ++t) {
            const bool known = costs_.knows(words[t]);
            space_.entries[n_] = static_cast<int32_t>(t);
            space_.words[n_] = words[t];
            space_.counts[n_] = counts[t];
            space_.nearest[n_] = far;
            space_.owners[n_] = no_topic;
            result[t] = no_topic;
            n_ += known;
            tokens_ += known ? counts[t] : 0;
        }
        n_uncovered_ = n_;
        n_opened_ = 0;
        clear_tail();
        reached_ = 0;
        step_ = first_step;
        costs_.start(space_, n_);
    }

    // The limits change nothing but the work: the first is where another document's first topic opened.
    int32_t next_limit() {
        if (n_uncovered_ == 0) return far;
        const int64_t limit = reached_ == 0 ? first_limit_ : reached_ + step_;
        step_ = n_opened_ == 0 ? 2 * step_ : first_step;
        n_opened_ = 0;
        const int64_t most = sizeof(Sum) < sizeof(int64_t) ? std::min<int64_t>(INT32_MAX / tokens_, far) : far;
        return static_cast<int32_t>(limit > most ? far : limit);
    }

    // All topics that may open below the limit.
    void find_candidates(int32_t limit) {
        n_candidates_ = 0;
        const int64_t n_topics = costs_.n_topics();
        if (limit == far && n_uncovered_ > 0)               // words without an open topic bid without end
            std::fill_n(space_.bids, n_topics, INT64_MAX);  // the padding stays 0
        else
            costs_.template add_bids<Sum>(space_, n_, limit);
        for (int64_t first = 0; first < n_topics; first += lanes) {
            bool any = false;
            for (int64_t lane = 0; lane < lanes; ++lane) any |= space_.bids[first + lane] > penalty_;
            if (!any) continue;
            for (int64_t topic = first; topic < first + lanes; ++topic)
                if (space_.bids[topic] > penalty_) add_candidate(topic);
        }
    }

    void add_candidate(int64_t topic) {
        space_.candidates[n_candidates_] = {static_cast<int32_t>(topic), static_cast<int32_t>(n_candidates_), tokens_,
                                            0};
        ++n_candidates_;
    }

    // Of more candidates than there are columns, keep the one that opens first; then x may only rise that far.
    int32_t keep_best(int32_t limit) {
        Ratio best{0, 0, -1, limit - 1};
        for (int64_t first = 0; first < n_candidates_; first += max_columns) {
            const int64_t n_columns = std::min(n_candidates_ - first, max_columns);
            costs_.read_columns(space_, n_, space_.candidates + first, n_columns);
            for (int64_t i = 0; i < n_columns; ++i)
                improve(space_.columns + i * space_.stride, space_.candidates[first + i], best);
        }
        n_candidates_ = best.tokens > 0;
        space_.candidates[0] = {static_cast<int32_t>(best.topic), 0, tokens_, 0};
        return static_cast<int32_t>(best.floor + 1);
    }

    // A first Newton step from x, which must be below the limit: the ratio is at most bound + far.
    void look_at_candidates(int32_t x) {
        for (int64_t i = 0; i < n_candidates_; ++i) {
            Candidate& one = space_.candidates[i];
            int64_t tokens, spent;
            sum_below(space_.columns + one.column * space_.stride, x, tokens, spent);
            one.tokens = std::max<int64_t>(1, tokens);
            one.bound = std::min<int64_t>((penalty_ + spent) / one.tokens, far - 1) - far;
        }
    }

    // The closed topic of least ratio below the limit, if there is one. Words that reach their nearest open topic before
    // it opens no longer count. A ratio only grows while words get marked, so that an old one is a lower bound: only
    // topics whose bound does not exceed the best so far are looked at, the most promising one first.
    Ratio next_opening(int32_t limit) {
        for (;;) {
            Ratio best{0, 0, -1, limit - 1};
            Candidate* candidates = space_.candidates;
            int64_t least = 0;
            for (int64_t i = 1; i < n_candidates_; ++i)
                least = candidates[i].bound < candidates[least].bound ? i : least;
            if (n_candidates_ > 0) std::swap(candidates[0], candidates[least]);
            for (int64_t i = 0; i < n_candidates_;) {
                Candidate& one = candidates[i];
                if (one.bound <= best.floor)
                    one.bound = improve(space_.columns + one.column * space_.stride, one, best);
                if (one.bound >= limit && limit < far)
                    one = candidates[--n_candidates_];
                else
                    ++i;
            }
            if (best.tokens == 0 || !withdraw(static_cast<int32_t>(best.floor))) return best;
        }
    }

    // Newton's iteration: the words that cost at most x give the next, lower x, until x and the words agree. Takes the
    // topic as the best if it is; returns a lower bound of its ratio.
    int64_t improve(const int32_t* costs, const Candidate& one, Ratio& best) const {
        const int64_t topic = one.topic;
        int64_t x = best.floor;
        // The first topic to be looked at may start nearer than at the limit: one step from below lands above its ratio.
        if (best.tokens == 0 && one.bound < 0) x = std::min(x, one.bound + far);
        if (best.tokens == 0 && one.bound > 0 && x < far - 1) {
            int64_t tokens, spent;
            sum_below(costs, static_cast<int32_t>(one.bound), tokens, spent);
            if (tokens > 0) x = std::min<int64_t>(x, (spent + penalty_) / tokens);
        }
        for (bool first = true;; first = false) {
            int64_t tokens, spent;
            sum_below(costs, static_cast<int32_t>(x), tokens, spent);
            spent += penalty_;
            if (first) {
                // By `short_of` the bids at x fall short of the penalty; below the limit they grow by at most these tokens.
                const int64_t short_of = spent - x * tokens;
                const bool clearly = tokens == 0 || (short_of >= tokens && x < far - 1);
                const int order = clearly            ? 1
                                  : best.tokens == 0 ? -1
                                                     : compare_ratios(spent, tokens, best.spent, best.tokens);
                if (order > 0) return std::min<int64_t>(x + std::max<int64_t>(0, short_of) / one.tokens, far - 1);
                if (order == 0 && topic > best.topic) return x;
            }
            const int64_t next = std::min<int64_t>(spent / tokens, far - 1);
            if (next >= x) {
                best = {spent, tokens, topic, x};
                return x;
            }
            x = next;
        }
    }

    // Tokens that cost at most x, and less than in an open topic, and the sum of those costs.
    void sum_below(const int32_t* costs, int32_t x, int64_t& tokens, int64_t& spent) const {
        const int32_t *counts = space_.counts, *nearest = space_.nearest;
        Sum token_sum = 0, cost_sum = 0;
        for (int64_t i = 0; i < n_padded_; ++i) {
            const int32_t cost = costs[i], count = counts[i];
            const Sum bidding = count & -static_cast<int32_t>(cost <= std::min(x, nearest[i] - 1));
            token_sum += bidding;
            cost_sum += bidding * static_cast<Sum>(cost);
        }
        tokens = token_sum;
        spent = cost_sum;
    }

    // Words that cost at most x in an open topic bid no more. Says if there are any.
    bool withdraw(int32_t x) {
        const int32_t* nearest = space_.nearest;
        int32_t* counts = space_.counts;
        int32_t any = 0;
        CRISP_INDEPENDENT
        for (int64_t i = 0; i < n_padded_; ++i) {
            const int32_t count = counts[i], rest = nearest[i] <= x ? 0 : count;
            any |= count - rest;
            counts[i] = rest;
        }
        return any > 0;
    }

    void open(const Ratio& best) {
        const auto topic = static_cast<uint16_t>(best.topic);
        Candidate* one = space_.candidates;
        while (one->topic != topic) ++one;
        const int32_t* costs = space_.columns + one->column * space_.stride;
        *one = space_.candidates[--n_candidates_];
        if (reached_ == 0 && n_opened_ == 0)
            first_limit_ = static_cast<int32_t>(std::min<int64_t>(best.floor + Costs::margin, far / 2));
        ++n_opened_;
        costs_.open(space_, topic);
        CRISP_INDEPENDENT
        for (int64_t i = 0; i < n_; ++i) {
            const int32_t nearest = space_.nearest[i];
            const int32_t cost = space_.counts[i] > 0 ? costs[i] : far;
            space_.owners[i] =
                (cost < nearest) | ((cost == nearest) & (topic < space_.owners[i])) ? topic : space_.owners[i];
            space_.nearest[i] = std::min(nearest, cost);
        }
        withdraw(static_cast<int32_t>(best.floor));
    }

    // Words that cost at most x in an open topic keep it for good; the others close ranks.
    void mark(int32_t x, uint16_t* result) {
        reached_ = x;
        int64_t n = 0, tokens = 0, n_uncovered = 0;
        for (int64_t i = 0; i < n_; ++i) {  // without branches: which words go on is hard to foresee
            const int32_t entry = space_.entries[i], nearest = space_.nearest[i], count = space_.counts[i];
            const int32_t goes_on = nearest > x;
            result[entry] = space_.owners[i];
            space_.entries[n] = entry;
            space_.words[n] = space_.words[i];
            space_.counts[n] = count;
            space_.nearest[n] = nearest;
            space_.owners[n] = space_.owners[i];
            space_.places[i] = static_cast<int32_t>(n) | (goes_on - 1);
            n += goes_on;
            tokens += count & -goes_on;
            n_uncovered += nearest == far;
        }
        n_ = n;
        tokens_ = tokens;
        n_uncovered_ = n_uncovered;
        costs_.move(space_);
        clear_tail();
    }

    void clear_tail() {
        std::fill_n(space_.counts + n_, lanes, 0);
        n_padded_ = (n_ + lanes - 1) / lanes * lanes;
    }

    Costs costs_;
    const int64_t penalty_;
    const WordSpace& space_;
    int64_t n_ = 0, n_padded_ = 0, tokens_ = 0, n_uncovered_ = 0, n_candidates_ = 0, n_opened_ = 0, reached_ = 0,
            step_ = 0;
    int32_t first_limit_ = 8 * first_step;
};

template <class Costs>
void assign_documents(const Documents& documents, int64_t first, int64_t last, const CostRows& rows, int64_t penalty,
                      int64_t largest_cost, uint16_t* result, const WordSpace& space) {
    DocumentAssignment<Costs, int32_t> narrow(rows, penalty, space);
    DocumentAssignment<Costs, int64_t> wide(rows, penalty, space);
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

// `largest_cost` bounds all finite costs in the rows.
inline void word_step(const Documents& documents, int64_t first, int64_t last, const CostRows& rows, int64_t penalty,
                      int64_t largest_cost, uint16_t* result, const WordSpace& space) {
    const auto assign = rows.table ? assign_documents<DenseCosts> : assign_documents<SparseCosts>;
    assign(documents, first, last, rows, penalty, largest_cost, result, space);
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
