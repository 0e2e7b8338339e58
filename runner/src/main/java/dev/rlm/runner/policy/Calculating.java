package dev.rlm.runner.policy;

import dev.rlm.cli.json.JsonTree;
import dev.rlm.episodes.Briefing;
import dev.rlm.runner.calc.CalcEnvironment;
import java.util.Map;

/** How an environment is asked to calculate an expression: by its calculator, or in Python. */
enum Calculating {
    BY_CALCULATOR(CalcEnvironment.CALCULATOR) {
        @Override
        String code(String expression) {
            return expression;
        }

        @Override
        String arguments(String expression) {
            return CalcEnvironment.arguments(expression);
        }
    },

    IN_PYTHON("python") {
        @Override
        String code(String expression) {
            String numbers = expression.replaceAll("(?<=\\d),(?=\\d{3})", "").replaceAll("\\b0+(?=\\d)", "");
            return "print(" + numbers.replace("%", "/100") + ")";
        }

        @Override
        String arguments(String expression) {
            return JsonTree.text(Map.of("code", code(expression)));
        }
    };

    final String tool;

    Calculating(String tool) {
        this.tool = tool;
    }

    /** By the calculator, unless there is Python. */
    static Calculating of(Briefing briefing) {
        return briefing.tools().stream().anyMatch(tool -> tool.name().equals(IN_PYTHON.tool))
                ? IN_PYTHON
                : BY_CALCULATOR;
    }

    /** The action's code. */
    abstract String code(String expression);

    /** The same as a model's request for the tool. */
    abstract String arguments(String expression);
}
