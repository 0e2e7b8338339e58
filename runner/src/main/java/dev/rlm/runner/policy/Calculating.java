package dev.rlm.runner.policy;

import dev.rlm.episodes.Briefing;
import dev.rlm.json.Json;
import dev.rlm.runner.demo.CalcEnvironment;
import java.util.Map;

/** Form in which an environment is asked to calculate an expression: for its calculator, or in Python. */
enum Calculating {
    BY_CALCULATOR(CalcEnvironment.CALCULATOR, "expression"),
    IN_PYTHON("python", "code");

    final String tool;
    private final String parameter;

    Calculating(String tool, String parameter) {
        this.tool = tool;
        this.parameter = parameter;
    }

    /** Returns that by the calculator, unless there is Python. */
    static Calculating of(Briefing briefing) {
        return briefing.tools().stream().anyMatch(tool -> tool.name().equals(IN_PYTHON.tool))
                ? IN_PYTHON
                : BY_CALCULATOR;
    }

    /** Returns the action's code. */
    String code(String expression) {
        if (this == BY_CALCULATOR) {
            return expression;
        }
        String numbers = expression.replaceAll("(?<=\\d),(?=\\d{3})", "").replaceAll("\\b0+(?=\\d)", "");
        return "print(" + numbers.replace("%", "/100") + ")";
    }

    /** Returns the code as a model's request for the tool has it. */
    String arguments(String expression) {
        return Json.text(Map.of(parameter, code(expression)));
    }
}
