// expect: assertion-failure at 12
#include <cassert>
extern "C" float __VERIFIER_nondet_float();
struct Account {
  float balance;
  void pay(float amount) { balance -= amount; }
};
static void charge(Account account, float amount) { account.pay(amount); }
int main() {
  Account mine{100.0f};
  float amount = __VERIFIER_nondet_float();
  charge(mine, amount); assert(!(amount > 0) || mine.balance < 100.0f);
}
