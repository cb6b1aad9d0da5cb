// Compiled once for each instruction set, with CRISP_ISA naming it.
#include "basic_step.hpp"
#include "gibbs_step.hpp"
#include "mixture_step.hpp"
#include "objective.hpp"
#include "refine_step.hpp"
#include "simd.hpp"
#include "topic_rows.hpp"
#include "word_step.hpp"

#define CRISP_JOIN_(a, b) a##b
#define CRISP_JOIN(a, b) CRISP_JOIN_(a, b)
#define CRISP_TEXT_(a) #a
#define CRISP_TEXT(a) CRISP_TEXT_(a)

namespace crisp {

const Kernels CRISP_JOIN(CRISP_ISA, _kernels) = {
    CRISP_TEXT(CRISP_ISA),   CRISP_ISA::count_topics,  CRISP_ISA::recount_topics, CRISP_ISA::word_costs,
    CRISP_ISA::words_cost,   CRISP_ISA::topics_used,   CRISP_ISA::basic_step,     CRISP_ISA::word_step,
    CRISP_ISA::keep_cheaper, CRISP_ISA::joining_gains, CRISP_ISA::refine_propose, CRISP_ISA::refine_apply,
    CRISP_ISA::gibbs_step,   CRISP_ISA::gibbs_infer,   CRISP_ISA::mixture_step,
};

}  // namespace crisp
