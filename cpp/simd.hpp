// The kernels are plain loops, compiled once for each instruction set (isa.cpp); the best that the machine has is
// chosen when the module is loaded. All of them give the same bits: they add integers.
#pragma once

#include "views.hpp"

namespace crisp {

struct Kernels {
    const char* isa;
    void (*count_topics)(const Documents&, int64_t, const uint16_t*, const TopicRows&);
    int64_t (*recount_topics)(const Documents&, int64_t, const uint16_t*, const uint16_t*, const TopicRows&);
    void (*word_costs)(const TopicRows&, int64_t, int64_t, double, const int32_t*, const int32_t*, const CostRows&,
                       int32_t*, int32_t*);
    int64_t (*words_cost)(const TopicRows&, int64_t, int64_t);
    int64_t (*topics_used)(const Documents&, int64_t, int64_t, int64_t, const uint16_t*, int64_t*);
    void (*basic_step)(const Documents&, int64_t, int64_t, const CostRows&, int64_t, const uint16_t*, uint16_t*,
                       int64_t*);
    void (*word_step)(const Documents&, int64_t, int64_t, const CostRows&, int64_t, int64_t, uint16_t*,
                      const WordSpace&);
    void (*keep_cheaper)(const Documents&, int64_t, int64_t, const CostRows&, int64_t, const uint16_t*, uint16_t*,
                         int64_t*);
    void (*joining_gains)(const Gains&, int64_t, int64_t);
    void (*refine_propose)(const Documents&, const int64_t*, int64_t, const Gains&, int64_t, const uint16_t*, uint16_t*,
                           RefineSpace&);
    RefineChange (*refine_apply)(const Documents&, const int64_t*, int64_t, const Gains&, int64_t, uint16_t*,
                                 const uint16_t*, const RefineSpace&);
    void (*gibbs_step)(const GibbsTokens&, int64_t, int64_t, int64_t, const GibbsPrior&, uint64_t, int32_t*, int64_t*,
                       uint16_t*, const GibbsSpace&);
    void (*gibbs_infer)(const GibbsTokens&, int64_t, int64_t, const GibbsPrior&, uint64_t, const float*, uint16_t*,
                        float*, const GibbsSpace&);
    void (*mixture_step)(const Documents&, int64_t, int64_t, const MixtureTables&, const MixtureSpace&);
};

extern const Kernels portable_kernels, avx2_kernels, avx512_kernels;

inline bool has_avx2() {
#ifdef CRISP_X86
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#else
    return false;
#endif
}

inline bool has_avx512() {
#ifdef CRISP_X86
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

}  // namespace crisp
