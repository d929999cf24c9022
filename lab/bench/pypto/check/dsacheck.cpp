// dsacheck PROBLEM.json SOLUTION.json: dsa-solver's own check of a plan that Stowage wrote (dsa-solution-v1), with the
// fingerprint of its problem, and its own values of peak and cost. In a checkout of dsa-solver:
//
//	g++ -std=c++20 -O1 -Isrc -Ithird_party/json/single_include dsacheck.cpp src/dsa/model/model.cpp \
//	  src/dsa/model/structured_json.cpp src/dsa/model/structured_problem.cpp src/dsa/model/validator.cpp -o dsacheck
#include <exception>
#include <iostream>

#include "dsa/model/structured_problem.h"
#include "dsa/model/validator.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: dsacheck PROBLEM.json SOLUTION.json\n";
    return 2;
  }
  try {
    const auto problem = dsa::ReadStructuredProblemJsonFile(argv[1]);
    const auto plan = dsa::ValidateAndExtractStructuredSolution(problem, dsa::ReadStructuredSolutionJsonFile(argv[2]));
    const auto value = dsa::EvaluateObjective(problem.problem, plan);
    std::cout << value.total_peak << " " << value.max_peak << " " << value.reuse_cost << "\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
