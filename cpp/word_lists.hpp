// What the word step keeps of one document: for each topic that it has read, the bids and the list of its words.
#pragma once

#include <algorithm>

#include "views.hpp"

namespace crisp::CRISP_ISA {

constexpr int32_t marked = -1;
constexpr int32_t first_step = 1 << 16;  // from one limit to the next: half as much or twice as much is slower

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

// Topics get numbers (ids) as they are first read. Lists are chains of chunks, so that they can grow at any time.
class TopicLists {
  public:
    explicit TopicLists(const WordSpace& space) : space_(space) {}

    uint16_t topic(int64_t id) const { return space_.lists[id].topic; }
    bool has(int64_t topic) const { return space_.ids[topic] > 0; }
    int64_t held(int64_t id) const { return space_.held[id]; }
    int64_t bids(int64_t id) const { return space_.bids[id]; }
    int64_t live(int64_t id) const { return space_.lists[id].live; }

    int64_t id_of(uint16_t topic) {
        if (space_.ids[topic] == 0) {
            space_.bids[n_] = space_.held[n_] = 0;
            space_.lists[n_] = {-1, -1, lanes, topic, 0, -1};
            space_.ids[topic] = static_cast<int32_t>(++n_);
        }
        return space_.ids[topic] - 1;
    }

    // Returns false if the topic is open: then the word does not bid for it.
    bool add(uint16_t topic, int32_t cost, int64_t count, int32_t entry, int32_t cap) {
        const int64_t id = id_of(topic);
        if (space_.bids[id] < 0) return false;
        space_.bids[id] += count * (cap - cost);
        space_.held[id] += count;
        TopicList& list = space_.lists[id];
        if (list.room == lanes) add_chunk(list);
        Chunk& chunk = space_.chunks[list.last];
        chunk.costs[list.room] = cost;
        chunk.counts[list.room] = static_cast<int32_t>(count);
        chunk.entries[list.room++] = entry;
        list.refreshed = -1;
        return true;
    }

    void raise_bids(int64_t by) {
        int64_t* bids = space_.bids;
        const int64_t* held = space_.held;
        CRISP_INDEPENDENT
        for (int64_t id = 0; id < n_; ++id) bids[id] += held[id] * by;
    }
    void lower_bid(uint16_t topic, int64_t by) { space_.bids[space_.ids[topic] - 1] -= by; }
    void withdraw(uint16_t topic, int64_t count, int64_t bid) {
        const int64_t id = space_.ids[topic] - 1;
        space_.held[id] -= count;
        space_.bids[id] -= bid;
    }
    // The topic opens: nobody bids for it any more.
    void close(int64_t id) { space_.bids[id] = -(int64_t{1} << 62); }

    int64_t cheapest_open(const int32_t* absent) const {
        int64_t best = -1;
        for (int64_t id = 0; id < n_; ++id) {
            const uint16_t topic = space_.lists[id].topic;
            if (space_.bids[id] >= 0) continue;
            if (best < 0 || absent[topic] < absent[best] || (absent[topic] == absent[best] && topic < best))
                best = topic;
        }
        return best;
    }

    int64_t find_alive(int64_t needed) {
        int64_t n_alive = 0;
        for (int64_t id = 0; id < n_; ++id)
            if (space_.bids[id] > needed) space_.alive[n_alive++] = {static_cast<int32_t>(id), -space_.bids[id]};
        return n_alive;
    }

    // Take words that are marked, or nearer to an open topic, out of the list.
    void refresh(int64_t id, const int32_t* nearest, int64_t n_changes) {
        TopicList& list = space_.lists[id];
        if (list.refreshed == n_changes) return;
        list.refreshed = n_changes;
        int64_t live = 0;
        for (int32_t place = list.first; place >= 0; place = space_.chunks[place].next) {
            Chunk& chunk = space_.chunks[place];
            CRISP_INDEPENDENT
            for (int64_t i = 0; i < lanes; ++i) {
                chunk.counts[i] = chunk.costs[i] <= nearest[chunk.entries[i]] ? chunk.counts[i] : 0;
                live += chunk.counts[i];
            }
        }
        list.live = live;
    }

    // Tokens of the list with costs up to x, and the sum of those costs. Sum is int32 where the document is so short
    // that nothing can overflow: the vectors hold twice as many.
    template <class Sum>
    void sum_below(int64_t id, int32_t x, int64_t& tokens, int64_t& spent) const {
        Sum token_sum = 0, cost_sum = 0;
        for (int32_t place = space_.lists[id].first; place >= 0; place = space_.chunks[place].next) {
            const Chunk& chunk = space_.chunks[place];
            for (int64_t i = 0; i < lanes; ++i) {
                const Sum count = chunk.costs[i] <= x ? chunk.counts[i] : 0;
                token_sum += count;
                cost_sum += count * static_cast<Sum>(chunk.costs[i]);
            }
        }
        tokens = token_sum;
        spent = cost_sum;
    }

    template <class Function>
    void for_each(int64_t id, const Function& function) const {
        for (int32_t place = space_.lists[id].first; place >= 0; place = space_.chunks[place].next) {
            const Chunk& chunk = space_.chunks[place];
            for (int64_t i = 0; i < lanes; ++i)
                if (chunk.counts[i] > 0) function(chunk.entries[i], chunk.costs[i]);
        }
    }

    void clear() {
        for (int64_t id = 0; id < n_; ++id) space_.ids[space_.lists[id].topic] = 0;
        n_ = n_chunks_ = 0;
    }

  private:
    void add_chunk(TopicList& list) {
        const auto place = static_cast<int32_t>(n_chunks_++);
        Chunk& chunk = space_.chunks[place];
        for (int64_t i = 0; i < lanes; ++i) {
            chunk.costs[i] = far;
            chunk.counts[i] = 0;
            chunk.entries[i] = 0;
        }
        chunk.next = -1;
        (list.last < 0 ? list.first : space_.chunks[list.last].next) = place;
        list.last = place;
        list.room = 0;
    }

    const WordSpace& space_;
    int64_t n_ = 0, n_chunks_ = 0;
};

}  // namespace crisp::CRISP_ISA
