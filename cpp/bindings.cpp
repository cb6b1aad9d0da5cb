// The only file that knows Python: it turns arrays into views, finds scratch memory, and releases the interpreter lock.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "simd.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace crisp {
namespace {

template <class T>
using Array = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

const Kernels* chosen = &portable_kernels;

std::vector<std::string> instruction_sets() {
    std::vector<std::string> names{"portable"};
    if (has_avx2()) names.emplace_back("avx2");
    if (has_avx512()) names.emplace_back("avx512");
    return names;
}

void choose_instruction_set(const std::string& name) {
    const auto names = instruction_sets();
    if (std::find(names.begin(), names.end(), name) == names.end())
        throw std::invalid_argument("this machine has no instruction set '" + name + "'");
#ifdef CRISP_X86
    chosen = name == "avx512" ? &avx512_kernels : name == "avx2" ? &avx2_kernels : &portable_kernels;
#endif
}

void require(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

// Documents as Python hands them over; keeps the arrays alive.
struct DocumentArrays {
    DocumentArrays(Array<const int64_t> indptr_, Array<const int32_t> words_, Array<const int32_t> counts_)
        : indptr(indptr_), words(words_), counts(counts_) {
        require(indptr.size() > 0 && words.size() == counts.size(), "indptr, words and counts do not fit");
        require(indptr.data()[indptr.size() - 1] == n_entries(), "indptr does not end at the number of entries");
    }
    Documents view() const { return {indptr.data(), words.data(), counts.data()}; }
    int64_t n_documents() const { return static_cast<int64_t>(indptr.size()) - 1; }
    int64_t n_entries() const { return static_cast<int64_t>(words.size()); }
    int64_t widest(int64_t first, int64_t last) const {
        int64_t most = 0;
        for (int64_t j = first; j < last; ++j) most = std::max(most, indptr.data()[j + 1] - indptr.data()[j]);
        return most;
    }
    Array<const int64_t> indptr;
    Array<const int32_t> words, counts;
};

// Topic counts in sparse word rows; Python owns the arrays and may look into them between calls.
struct TopicRowArrays {
    TopicRowArrays(Array<const int64_t> starts_, Array<int32_t> lengths_, Array<uint16_t> topics_,
                   Array<int64_t> counts_, Array<int64_t> totals_)
        : starts(starts_), lengths(lengths_), topics(topics_), counts(counts_), totals(totals_) {
        require(starts.size() == lengths.size() + 1 && topics.size() == counts.size(), "rows do not fit");
        require(starts.data()[lengths.size()] == static_cast<int64_t>(topics.size()), "rows do not fill their arrays");
        require(totals.size() < no_topic, "too many topics");
    }
    TopicRows view() const {
        return {n_words(), n_topics(), starts.data(), lengths.data(), topics.data(), counts.data(), totals.data()};
    }
    int64_t n_words() const { return static_cast<int64_t>(lengths.size()); }
    int64_t n_topics() const { return static_cast<int64_t>(totals.size()); }
    Array<const int64_t> starts;
    Array<int32_t> lengths;
    Array<uint16_t> topics;
    Array<int64_t> counts, totals;
};

int64_t padded(int64_t n_topics) {
    return (n_topics + lanes - 1) / lanes * lanes;
}

// Costs beside the rows that they were made of.
struct CostArrays {
    CostArrays(const TopicRowArrays& rows_, Array<int32_t> costs_, Array<const int32_t> absent_, Array<int32_t> table_)
        : rows(rows_), costs(costs_), absent(absent_), table(table_) {
        require(costs.size() == rows.topics.size() && absent.size() == rows.totals.size(), "costs do not fit");
        require(table.size() == 0 || (rows.n_topics() <= dense_topics &&
                                      static_cast<int64_t>(table.size()) == rows.n_words() * n_padded()),
                "the table of costs does not fit");
    }
    CostRows view() const {
        const int32_t* dense = table.size() > 0 ? table.data() : nullptr;
        return {
            rows.n_topics(), rows.starts.data(), rows.lengths.data(), rows.topics.data(), costs.data(), absent.data(),
            dense,           n_padded()};
    }
    int64_t n_padded() const { return padded(rows.n_topics()); }
    TopicRowArrays rows;
    Array<int32_t> costs;
    Array<const int32_t> absent;
    Array<int32_t> table;  // empty where topics are many
};

void check_block(const DocumentArrays& documents, int64_t first, int64_t last) {
    require(0 <= first && first <= last && last <= documents.n_documents(), "no such block of documents");
}

template <class... Topics>
void check_topics(const DocumentArrays& documents, const Topics&... topics) {
    require(((static_cast<int64_t>(topics.size()) == documents.n_entries()) && ...), "not one topic per entry");
}

void count_topics(const DocumentArrays& documents, Array<const uint16_t> topics, const TopicRowArrays& rows) {
    check_topics(documents, topics);
    nb::gil_scoped_release release;
    chosen->count_topics(documents.view(), documents.n_entries(), topics.data(), rows.view());
}

int64_t recount_topics(const DocumentArrays& documents, Array<const uint16_t> before, Array<const uint16_t> after,
                       const TopicRowArrays& rows) {
    check_topics(documents, before, after);
    nb::gil_scoped_release release;
    return chosen->recount_topics(documents.view(), documents.n_entries(), before.data(), after.data(), rows.view());
}

void word_costs(const CostArrays& costs, int64_t first, int64_t last, double smoothing, Array<const int32_t> log_table,
                Array<const int32_t> log_totals) {
    require(0 <= first && first <= last && last <= costs.rows.n_words(), "no such block of words");
    require(static_cast<int64_t>(log_table.size()) == table_size && log_totals.size() == costs.rows.totals.size(),
            "tables do not fit");
    nb::gil_scoped_release release;
    chosen->word_costs(costs.rows.view(), first, last, smoothing, log_table.data(), log_totals.data(), costs.view(),
                       costs.costs.data(), costs.table.size() > 0 ? costs.table.data() : nullptr);
}

int64_t words_cost(const TopicRowArrays& rows, int64_t first, int64_t last) {
    require(0 <= first && first <= last && last <= rows.n_words(), "no such block of words");
    nb::gil_scoped_release release;
    return chosen->words_cost(rows.view(), first, last);
}

int64_t topics_used(const DocumentArrays& documents, int64_t first, int64_t last, Array<const uint16_t> topics,
                    int64_t n_topics) {
    check_block(documents, first, last);
    check_topics(documents, topics);
    nb::gil_scoped_release release;
    std::vector<int64_t> seen(n_topics);
    return chosen->topics_used(documents.view(), first, last, n_topics, topics.data(), seen.data());
}

void basic_step(const DocumentArrays& documents, int64_t first, int64_t last, const CostArrays& costs, int64_t penalty,
                Array<const uint16_t> topics, Array<uint16_t> result) {
    check_block(documents, first, last);
    check_topics(documents, topics, result);
    nb::gil_scoped_release release;
    std::vector<int64_t> used_by(costs.rows.n_topics());
    chosen->basic_step(documents.view(), first, last, costs.view(), penalty, topics.data(), result.data(),
                       used_by.data());
}

// Scratch memory of the word step for a block of documents.
struct WordMemory {
    WordMemory(const Documents& documents, int64_t first, int64_t last, const CostRows& rows)
        : candidates(rows.n_topics), column_of(rows.n_topics, max_columns), opened(rows.n_topics) {
        int64_t n = 0, n_pairs = 0;
        for (int64_t j = first; j < last; ++j) {
            const int64_t begin = documents.indptr[j], end = documents.indptr[j + 1];
            n = std::max(n, end - begin);
            if (rows.table) continue;
            int64_t pairs = 0;
            for (int64_t entry = begin; entry < end; ++entry) pairs += rows.lengths[documents.words[entry]];
            n_pairs = std::max(n_pairs, pairs);
        }
        const int64_t stride = n + lanes;
        per_place.resize(5 * stride);
        owners.resize(stride);
        columns.resize((max_columns + 2) * stride);
        bids.resize(rows.n_topics + lanes);
        nexts.resize(n);
        pairs = std::make_unique_for_overwrite<Pair[]>(n_pairs);
        int32_t* a = per_place.data();
        space = {a,
                 a + stride,
                 a + 2 * stride,
                 a + 3 * stride,
                 owners.data(),
                 a + 4 * stride,
                 stride,
                 columns.data(),
                 bids.data(),
                 candidates.data(),
                 column_of.data(),
                 opened.data(),
                 nexts.data(),
                 pairs.get()};
    }
    std::vector<Candidate> candidates;
    std::vector<int32_t> column_of, per_place, columns;
    std::vector<uint16_t> opened, owners;
    std::vector<int64_t> bids, nexts;
    std::unique_ptr<Pair[]> pairs;
    WordSpace space{};
};

void word_step(const DocumentArrays& documents, int64_t first, int64_t last, const CostArrays& costs, int64_t penalty,
               int64_t largest_cost, Array<uint16_t> result) {
    check_block(documents, first, last);
    check_topics(documents, result);
    nb::gil_scoped_release release;
    const CostRows rows = costs.view();
    const WordMemory memory(documents.view(), first, last, rows);
    chosen->word_step(documents.view(), first, last, rows, penalty, largest_cost, result.data(), memory.space);
}

void keep_cheaper(const DocumentArrays& documents, int64_t first, int64_t last, const CostArrays& costs,
                  int64_t penalty, Array<const uint16_t> present, Array<uint16_t> proposed) {
    check_block(documents, first, last);
    check_topics(documents, present, proposed);
    nb::gil_scoped_release release;
    std::vector<int64_t> seen(costs.rows.n_topics());
    chosen->keep_cheaper(documents.view(), first, last, costs.view(), penalty, present.data(), proposed.data(),
                         seen.data());
}

// Gains beside the rows that they were made of.
struct GainArrays {
    GainArrays(const TopicRowArrays& rows_, Array<uint16_t> cells_, bool dense, Array<const int64_t> xlogx_,
               Array<const uint16_t> of_counts_, Array<const int32_t> least_counts_)
        : rows(rows_),
          cells(cells_),
          xlogx(xlogx_),
          of_counts(of_counts_),
          least_counts(least_counts_),
          width(dense ? padded(rows.n_topics()) : 0) {
        const int64_t n_cells = dense ? rows.n_words() * width : static_cast<int64_t>(rows.topics.size());
        require(static_cast<int64_t>(cells.size()) == n_cells, "gains do not fit");
        require(xlogx.size() == table_size && of_counts.size() == table_size && least_counts.size() == table_size,
                "tables do not fit");
    }
    Gains view() const {
        return {rows.view(), width, cells.data(), xlogx.data(), of_counts.data(), least_counts.data()};
    }
    TopicRowArrays rows;
    Array<uint16_t> cells;
    Array<const int64_t> xlogx;
    Array<const uint16_t> of_counts;
    Array<const int32_t> least_counts;
    int64_t width;
};

// Scratch memory of the refine step for the documents in `order`.
struct RefineMemory {
    RefineMemory(const DocumentArrays& documents, const Array<const int64_t>& order, int64_t n_topics) {
        int64_t n = 0;
        for (size_t place = 0; place < order.size(); ++place) {
            const int64_t document = order.data()[place];
            check_block(documents, document, document + 1);
            n = std::max(n, documents.widest(document, document + 1));
        }
        const int64_t k = padded(n_topics);
        bounds.resize(2 * k);
        numbers.resize(3 * k + 3 * n);
        topics.resize(3 * k + 2);
        starts.resize(2 * n);
        std::fill(bounds.begin(), bounds.begin() + k, std::numeric_limits<float>::infinity());
        float* a = bounds.data();
        int32_t *b = numbers.data(), *c = b + 3 * k;
        std::fill(b + k, b + 2 * k, -1);
        space = {k,
                 0,
                 0,
                 a,
                 a + k,
                 b,
                 b + k,
                 b + 2 * k,
                 topics.data(),
                 topics.data() + k,
                 topics.data() + 2 * k + 1,
                 c,
                 c + n,
                 starts.data(),
                 starts.data() + n,
                 c + 2 * n};
    }
    std::vector<float> bounds;
    std::vector<int32_t> numbers;
    std::vector<uint16_t> topics;
    std::vector<int64_t> starts;
    RefineSpace space{};
};

void joining_gains(const GainArrays& gains, int64_t first, int64_t last) {
    require(0 <= first && first <= last && last <= gains.rows.n_words(), "no such block of words");
    nb::gil_scoped_release release;
    chosen->joining_gains(gains.view(), first, last);
}

void refine_propose(const DocumentArrays& documents, Array<const int64_t> order, const GainArrays& gains,
                    int64_t penalty, Array<const uint16_t> topics, Array<uint16_t> wishes) {
    check_topics(documents, topics, wishes);
    nb::gil_scoped_release release;
    RefineMemory memory(documents, order, gains.rows.n_topics());
    chosen->refine_propose(documents.view(), order.data(), static_cast<int64_t>(order.size()), gains.view(), penalty,
                           topics.data(), wishes.data(), memory.space);
}

std::tuple<int64_t, int64_t, int64_t> refine_apply(const DocumentArrays& documents, Array<const int64_t> order,
                                                   const GainArrays& gains, int64_t penalty, Array<uint16_t> topics,
                                                   Array<const uint16_t> wishes) {
    check_topics(documents, topics, wishes);
    nb::gil_scoped_release release;
    const RefineMemory memory(documents, order, gains.rows.n_topics());
    const RefineChange change = chosen->refine_apply(documents.view(), order.data(), static_cast<int64_t>(order.size()),
                                                     gains.view(), penalty, topics.data(), wishes.data(), memory.space);
    return {change.words_cost, change.topics_used, change.moved};
}

// Tokens and prior of the Gibbs sampler as Python hands them over.
struct GibbsArrays {
    GibbsArrays(int64_t n_groups_, Array<const int64_t> cuts_, Array<const int32_t> words_, Array<const float> alpha_,
                float beta_, float beta_sum_)
        : n_groups(n_groups_), cuts(cuts_), words(words_), alpha(alpha_), beta(beta_), beta_sum(beta_sum_) {
        require(n_groups > 0 && cuts.size() > 0 && (cuts.size() - 1) % n_groups == 0, "cuts do not fit the groups");
        require(cuts.data()[cuts.size() - 1] == static_cast<int64_t>(words.size()),
                "cuts do not end at the last token");
        require(alpha.size() % lanes == 0 && alpha.size() > 0, "topics are not padded to a multiple of 16");
    }
    GibbsTokens tokens() const { return {n_groups, cuts.data(), words.data()}; }
    GibbsPrior prior() const { return {static_cast<int64_t>(alpha.size()), alpha.data(), beta, beta_sum}; }
    void check(int64_t first, int64_t last, size_t n_topics) const {
        const int64_t n_documents = static_cast<int64_t>(cuts.size() - 1) / n_groups;
        require(0 <= first && first <= last && last <= n_documents, "no such block of documents");
        require(n_topics == words.size(), "not one topic per token");
    }
    int64_t n_groups;
    Array<const int64_t> cuts;
    Array<const int32_t> words;
    Array<const float> alpha;
    float beta, beta_sum;
};

void gibbs_step(const GibbsArrays& arrays, int64_t first, int64_t last, int64_t group, uint64_t key,
                Array<int32_t> topic_words, Array<int64_t> totals, Array<uint16_t> topics) {
    arrays.check(first, last, topics.size());
    require(0 <= group && group < arrays.n_groups, "no such group of words");
    const size_t n_padded = arrays.alpha.size();
    require(totals.size() == n_padded && topic_words.size() % n_padded == 0, "counts do not fit the topics");
    nb::gil_scoped_release release;
    std::vector<float> space(3 * n_padded);
    chosen->gibbs_step(arrays.tokens(), first, last, group, arrays.prior(), key, topic_words.data(), totals.data(),
                       topics.data(), {space.data(), space.data() + n_padded, space.data() + 2 * n_padded});
}

void gibbs_infer(const GibbsArrays& arrays, int64_t first, int64_t last, uint64_t key, Array<const float> psi,
                 Array<uint16_t> topics, Array<float> sums) {
    arrays.check(first, last, topics.size());
    const size_t n_padded = arrays.alpha.size();
    require(arrays.n_groups == 1 && psi.size() % n_padded == 0, "topics do not fit");
    require(sums.size() == (arrays.cuts.size() - 1) * n_padded, "not one row of sums per document");
    nb::gil_scoped_release release;
    std::vector<float> space(3 * n_padded);
    chosen->gibbs_infer(arrays.tokens(), first, last, arrays.prior(), key, psi.data(), topics.data(), sums.data(),
                        {space.data(), space.data() + n_padded, space.data() + 2 * n_padded});
}

void mixture_step(const DocumentArrays& entries, int64_t first, int64_t last, Array<float> rows,
                  Array<const float> columns, Array<const float> row_prior, Array<const float> column_prior,
                  Array<const float> weights) {
    check_block(entries, first, last);
    const size_t n_padded = weights.size();
    require(n_padded > 0 && n_padded % lanes == 0, "topics are not padded to a multiple of 16");
    require(row_prior.size() == n_padded && column_prior.size() == n_padded, "not one prior for each topic");
    require(rows.size() == entries.n_documents() * n_padded && columns.size() % n_padded == 0,
            "tables do not fit the topics");
    nb::gil_scoped_release release;
    std::vector<float> space(3 * n_padded);
    std::vector<double> sums(n_padded);
    chosen->mixture_step(entries.view(), first, last,
                         {static_cast<int64_t>(n_padded), rows.data(), columns.data(), row_prior.data(),
                          column_prior.data(), weights.data()},
                         {space.data(), space.data() + n_padded, space.data() + 2 * n_padded, sums.data()});
}

}  // namespace

NB_MODULE(_kernels, m) {
    m.doc() = "Kernels over blocks of documents; see crisptopics.kernels.reference for what each computes.";
#ifdef CRISP_CHECKS
    m.attr("CHECKED") = true;
#else
    m.attr("CHECKED") = false;
#endif
    m.def("instruction_sets", &instruction_sets);
    m.def("choose_instruction_set", &choose_instruction_set, "name"_a);
    choose_instruction_set(instruction_sets().back());

    nb::class_<DocumentArrays>(m, "Documents")
        .def(nb::init<Array<const int64_t>, Array<const int32_t>, Array<const int32_t>>(), "indptr"_a.noconvert(),
             "words"_a.noconvert(), "counts"_a.noconvert());
    nb::class_<TopicRowArrays>(m, "TopicRows")
        .def(nb::init<Array<const int64_t>, Array<int32_t>, Array<uint16_t>, Array<int64_t>, Array<int64_t>>(),
             "starts"_a.noconvert(), "lengths"_a.noconvert(), "topics"_a.noconvert(), "counts"_a.noconvert(),
             "totals"_a.noconvert());
    nb::class_<CostArrays>(m, "CostRows")
        .def(nb::init<const TopicRowArrays&, Array<int32_t>, Array<const int32_t>, Array<int32_t>>(), "rows"_a,
             "costs"_a.noconvert(), "absent"_a.noconvert(), "table"_a.noconvert());

    nb::class_<GainArrays>(m, "GainRows")
        .def(nb::init<const TopicRowArrays&, Array<uint16_t>, bool, Array<const int64_t>, Array<const uint16_t>,
                      Array<const int32_t>>(),
             "rows"_a, "cells"_a.noconvert(), "dense"_a, "xlogx"_a.noconvert(), "of_counts"_a.noconvert(),
             "least_counts"_a.noconvert());
    nb::class_<GibbsArrays>(m, "GibbsTokens")
        .def(nb::init<int64_t, Array<const int64_t>, Array<const int32_t>, Array<const float>, float, float>(),
             "n_groups"_a, "cuts"_a.noconvert(), "words"_a.noconvert(), "alpha"_a.noconvert(), "beta"_a, "beta_sum"_a);

    m.def("count_topics", &count_topics, "documents"_a, "topics"_a.noconvert(), "rows"_a);
    m.def("recount_topics", &recount_topics, "documents"_a, "before"_a.noconvert(), "after"_a.noconvert(), "rows"_a);
    m.def("word_costs", &word_costs, "costs"_a, "first"_a, "last"_a, "smoothing"_a, "log_table"_a.noconvert(),
          "log_totals"_a.noconvert());
    m.def("words_cost", &words_cost, "rows"_a, "first"_a, "last"_a);
    m.def("topics_used", &topics_used, "documents"_a, "first"_a, "last"_a, "topics"_a.noconvert(), "n_topics"_a);
    m.def("basic_step", &basic_step, "documents"_a, "first"_a, "last"_a, "costs"_a, "penalty"_a, "topics"_a.noconvert(),
          "result"_a.noconvert());
    m.def("word_step", &word_step, "documents"_a, "first"_a, "last"_a, "costs"_a, "penalty"_a, "largest_cost"_a,
          "result"_a.noconvert());
    m.def("keep_cheaper", &keep_cheaper, "documents"_a, "first"_a, "last"_a, "costs"_a, "penalty"_a,
          "present"_a.noconvert(), "proposed"_a.noconvert());
    m.def("joining_gains", &joining_gains, "gains"_a, "first"_a, "last"_a);
    m.def("refine_propose", &refine_propose, "documents"_a, "order"_a.noconvert(), "gains"_a, "penalty"_a,
          "topics"_a.noconvert(), "wishes"_a.noconvert());
    m.def("refine_apply", &refine_apply, "documents"_a, "order"_a.noconvert(), "gains"_a, "penalty"_a,
          "topics"_a.noconvert(), "wishes"_a.noconvert());
    m.def("gibbs_step", &gibbs_step, "tokens"_a, "first"_a, "last"_a, "group"_a, "key"_a, "topic_words"_a.noconvert(),
          "totals"_a.noconvert(), "topics"_a.noconvert());
    m.def("gibbs_infer", &gibbs_infer, "tokens"_a, "first"_a, "last"_a, "key"_a, "psi"_a.noconvert(),
          "topics"_a.noconvert(), "sums"_a.noconvert());
    m.def("mixture_step", &mixture_step, "entries"_a, "first"_a, "last"_a, "rows"_a.noconvert(),
          "columns"_a.noconvert(), "row_prior"_a.noconvert(), "column_prior"_a.noconvert(), "weights"_a.noconvert());
}

}  // namespace crisp
